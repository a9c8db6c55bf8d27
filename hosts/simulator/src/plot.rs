//! Charts of lines, as SVG and PNG.

mod bitmap;
mod figures;

use std::fmt;

use plotters::{
    coord::ranged1d::{AsRangedCoord, Ranged, ValueFormatter},
    prelude::{
        BLACK, ChartBuilder, Color, DrawingArea, DrawingBackend, IntoDrawingArea, IntoFont, IntoLogRange, LineSeries,
        PathElement, RGBColor, SVGBackend, SeriesLabelPosition, WHITE,
    },
};

/// A chart of lines that share their axes.
///
/// ```
/// use refrain_simulator::{Chart, Line, Scale};
/// let chart = Chart {
///     name: "squares".into(),
///     title: "Squares".into(),
///     x: "number".into(),
///     y: "square".into(),
///     scale: Scale::Linear,
///     lines: vec![Line { label: "n²".into(), points: vec![(1.0, 1.0), (2.0, 4.0)] }],
/// };
/// assert!(chart.to_svg().unwrap().starts_with("<svg"));
/// assert!(chart.to_png().unwrap().starts_with(b"\x89PNG"));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// For a file.
    pub name: String,
    /// Above the chart.
    pub title: String,
    /// Below the horizontal axis.
    pub x: String,
    /// Beside the vertical axis.
    pub y: String,
    /// Of the vertical axis.
    pub scale: Scale,
    /// The lines, in the order of their colours.
    pub lines: Vec<Line>,
}

/// A line, named in the legend.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Its name.
    pub label: String,
    /// From left to right.
    pub points: Vec<(f64, f64)>,
}

/// How values are laid out on an axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// From 0.
    #[default]
    Linear,
    /// By powers of ten; what is not above 0 is left out.
    Logarithmic,
}

/// A chart could not be drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlotError(String);

impl fmt::Display for PlotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot draw a chart: {}", self.0)
    }
}

impl std::error::Error for PlotError {}

const SIZE: (u32, u32) = (960, 540);

/// Told apart by those who do not see colours well too (Okabe and Ito).
const COLOURS: [RGBColor; 7] = [
    RGBColor(213, 94, 0),
    RGBColor(0, 114, 178),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(0, 0, 0),
];

impl Chart {
    /// As SVG, which whoever shows it sets in a font of their own.
    ///
    /// # Errors
    /// It has values that cannot be drawn.
    pub fn to_svg(&self) -> Result<String, PlotError> {
        let mut svg = String::new();
        self.draw(&SVGBackend::with_string(&mut svg, SIZE).into_drawing_area())?;
        Ok(svg)
    }

    /// As PNG.
    ///
    /// # Errors
    /// It has values that cannot be drawn.
    pub fn to_png(&self) -> Result<Vec<u8>, PlotError> {
        bitmap::png(SIZE, |area| self.draw(area))
    }

    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, plotters::coord::Shift>) -> Result<(), PlotError> {
        let points = || self.lines.iter().flat_map(|line| &line.points);
        let positive = points().map(|(_, y)| *y).filter(|y| *y > 0.0);
        let (low, high) = positive.fold((f64::MAX, 0.0), |(low, high), y| (f64::min(low, y), f64::max(high, y)));
        match self.scale {
            Scale::Logarithmic if high > 0.0 => self.draw_on(area, (low / 1.2..high * 1.2).log_scale()),
            _ => self.draw_on(area, 0.0..(high * 1.05).max(1.0)),
        }
    }

    fn draw_on<B: DrawingBackend, Y>(
        &self,
        area: &DrawingArea<B, plotters::coord::Shift>,
        y: Y,
    ) -> Result<(), PlotError>
    where
        Y: AsRangedCoord<Value = f64>,
        Y::CoordDescType: Ranged<ValueType = f64> + ValueFormatter<f64>,
    {
        let failed = |error: &dyn fmt::Display| PlotError(error.to_string());
        let xs = self.lines.iter().flat_map(|line| &line.points).map(|(x, _)| *x);
        let (left, right) = xs.fold((f64::MAX, f64::MIN), |(left, right), x| (left.min(x), right.max(x)));
        let (left, right) = if left < right { (left, right) } else { (0.0, right.max(1.0)) };
        area.fill(&WHITE).map_err(|error| failed(&error))?;
        let mut chart = ChartBuilder::on(area)
            .caption(&self.title, ("sans-serif", 24).into_font())
            .margin(12)
            .x_label_area_size(48)
            .y_label_area_size(72)
            .build_cartesian_2d(left..right, y)
            .map_err(|error| failed(&error))?;
        chart
            .configure_mesh()
            .x_desc(&self.x)
            .y_desc(&self.y)
            .label_style(("sans-serif", 18))
            .light_line_style(RGBColor(238, 238, 238))
            .x_label_formatter(&|x| short(*x))
            .y_label_formatter(&|y| short(*y))
            .draw()
            .map_err(|error| failed(&error))?;
        for (line, colour) in self.lines.iter().zip(COLOURS.into_iter().cycle()) {
            let points = line.points.iter().copied().filter(|(_, y)| self.scale == Scale::Linear || *y > 0.0);
            chart
                .draw_series(LineSeries::new(points, colour.stroke_width(2)))
                .map_err(|error| failed(&error))?
                .label(&line.label)
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], colour.stroke_width(3)));
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperRight)
            .background_style(WHITE.mix(0.85))
            .border_style(BLACK.mix(0.3))
            .label_font(("sans-serif", 18))
            .draw()
            .map_err(|error| failed(&error))?;
        area.present().map_err(|error| failed(&error))
    }
}

/// A number on an axis: no more digits than it needs.
fn short(number: f64) -> String {
    match number {
        _ if number.abs() >= 10_000.0 => format!("{}k", number / 1_000.0),
        _ if number.fract() == 0.0 => format!("{number}"),
        _ if number.abs() >= 10.0 => format!("{number:.1}"),
        _ => format!("{number:.2}"),
    }
}
