//! A bitmap with letters of its own, so that no machine needs a font.

use std::io::Cursor;

use embedded_graphics::{
    Drawable, Pixel,
    draw_target::DrawTarget,
    geometry::{OriginDimensions, Point, Size},
    mono_font::{
        MonoFont, MonoTextStyle,
        iso_8859_1::{FONT_7X13, FONT_8X13, FONT_10X20},
    },
    pixelcolor::BinaryColor,
    text::{Baseline, Text},
};
use plotters::prelude::{BitMapBackend, DrawingArea, DrawingBackend, IntoDrawingArea};
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingErrorKind, FontTransform,
    text_anchor::{HPos, VPos},
};

use super::PlotError;

/// Draws on a bitmap, and writes it as PNG.
pub(super) fn png(
    size: (u32, u32),
    draw: impl FnOnce(&DrawingArea<Lettered<'_>, plotters::coord::Shift>) -> Result<(), PlotError>,
) -> Result<Vec<u8>, PlotError> {
    let mut pixels = vec![0; size.0 as usize * size.1 as usize * 3];
    draw(&Lettered(BitMapBackend::with_buffer(&mut pixels, size)).into_drawing_area())?;
    encode(size, &pixels).map_err(|error| PlotError(error.to_string()))
}

fn encode((width, height): (u32, u32), pixels: &[u8]) -> Result<Vec<u8>, png::EncodingError> {
    let mut file = Cursor::new(Vec::new());
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(pixels)?;
    writer.finish()?;
    Ok(file.into_inner())
}

/// A bitmap that sets text in the fonts of this program.
pub(super) struct Lettered<'a>(BitMapBackend<'a>);

type Drawn<'a> = Result<(), DrawingErrorKind<<BitMapBackend<'a> as DrawingBackend>::ErrorType>>;

impl<'a> DrawingBackend for Lettered<'a> {
    type ErrorType = <BitMapBackend<'a> as DrawingBackend>::ErrorType;

    fn get_size(&self) -> (u32, u32) {
        self.0.get_size()
    }

    fn ensure_prepared(&mut self) -> Drawn<'a> {
        self.0.ensure_prepared()
    }

    fn present(&mut self) -> Drawn<'a> {
        self.0.present()
    }

    fn draw_pixel(&mut self, at: BackendCoord, colour: BackendColor) -> Drawn<'a> {
        self.0.draw_pixel(at, colour)
    }

    fn draw_line<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S) -> Drawn<'a> {
        self.0.draw_line(from, to, style)
    }

    fn draw_rect<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S, fill: bool) -> Drawn<'a> {
        self.0.draw_rect(from, to, style, fill)
    }

    fn estimate_text_size<S: BackendTextStyle>(
        &self,
        text: &str,
        style: &S,
    ) -> Result<(u32, u32), DrawingErrorKind<Self::ErrorType>> {
        let Size { width, height } = size_of(text, font(style.size()));
        Ok((width, height))
    }

    fn draw_text<S: BackendTextStyle>(&mut self, text: &str, style: &S, at: BackendCoord) -> Drawn<'a> {
        let (font, colour) = (font(style.size()), style.color());
        let letters =
            Text::with_baseline(text, Point::zero(), MonoTextStyle::new(font, BinaryColor::On), Baseline::Top);
        let mut ink = Ink(Vec::new());
        let Ok(_) = letters.draw(&mut ink);
        let Size { width, height } = size_of(text, font);
        let (width, height) = (width.cast_signed(), height.cast_signed());
        let dx = match style.anchor().h_pos {
            HPos::Left => 0,
            HPos::Right => -width,
            HPos::Center => -width / 2,
        };
        let dy = match style.anchor().v_pos {
            VPos::Top => 0,
            VPos::Center => -height / 2,
            VPos::Bottom => -height,
        };
        let transform: FontTransform = style.transform();
        for Point { x, y } in ink.0 {
            let (x, y) = transform.transform(x + dx, y + dy);
            self.draw_pixel((at.0 + x, at.1 + y), colour)?;
        }
        Ok(())
    }
}

/// The font as wide as `plotters` takes letters to be.
const fn font(size: f64) -> &'static MonoFont<'static> {
    match size {
        ..17.0 => &FONT_7X13,
        ..21.0 => &FONT_8X13,
        _ => &FONT_10X20,
    }
}

fn size_of(text: &str, font: &MonoFont<'_>) -> Size {
    let letters = u32::try_from(text.chars().count()).unwrap_or(u32::MAX);
    Size::new(font.character_size.width.saturating_mul(letters), font.character_size.height)
}

/// Where letters are.
struct Ink(Vec<Point>);

impl OriginDimensions for Ink {
    fn size(&self) -> Size {
        Size::new(i16::MAX as u32, i16::MAX as u32)
    }
}

impl DrawTarget for Ink {
    type Color = BinaryColor;
    type Error = std::convert::Infallible;

    fn draw_iter<I: IntoIterator<Item = Pixel<BinaryColor>>>(&mut self, pixels: I) -> Result<(), Self::Error> {
        self.0.extend(pixels.into_iter().filter(|Pixel(_, colour)| colour.is_on()).map(|Pixel(at, _)| at));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::plot::{Chart, Line, Scale};

    #[test]
    fn letters_are_drawn() {
        let chart = |title: &str| {
            let lines = vec![Line { label: "l".into(), points: vec![(0.0, 1.0), (1.0, 2.0)] }];
            let chart = Chart { title: title.into(), lines, ..EMPTY };
            chart.to_png().expect("a chart")
        };
        assert_ne!(chart("one"), chart("two"));
        assert_eq!(chart("one"), chart("one"));
    }

    const EMPTY: Chart = Chart {
        name: String::new(),
        title: String::new(),
        x: String::new(),
        y: String::new(),
        scale: Scale::Linear,
        lines: Vec::new(),
    };
}
