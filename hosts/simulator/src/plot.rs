//! Charts of lines, as SVG and PNG.

mod bitmap;

use std::fmt;

use plotters::{
    coord::ranged1d::{AsRangedCoord, Ranged, ValueFormatter},
    prelude::{
        BLACK, ChartBuilder, Color, DrawingArea, DrawingBackend, IntoDrawingArea, IntoFont, IntoLogRange, LineSeries,
        PathElement, RGBColor, SVGBackend, SeriesLabelPosition, WHITE,
    },
};

use crate::report::{Load, Report, Run};

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

impl Report {
    /// The charts of this report: over time, or over the number of clients if there are several.
    #[must_use]
    pub fn charts(&self) -> Vec<Chart> {
        let sweeps = self.runs.iter().any(|run| run.clients != self.runs[0].clients);
        if sweeps { self.sweep_charts() } else { self.time_charts() }
    }

    fn sweep_charts(&self) -> Vec<Chart> {
        let chart = |name, y, scale, value: fn(&Run) -> f64| Chart {
            name: format!("{}-{name}", self.scenario),
            title: format!("{}: {y} by number of clients", self.scenario),
            x: "clients".to_owned(),
            y: format!("{y}, mean of {}", self.runs[0].repeats),
            scale,
            lines: self.lines(|run| vec![(f64::from(run.clients), value(run))]),
        };
        vec![
            chart("sends", "sends", Scale::Linear, |run| run.mean_sends() as f64),
            chart("time", "seconds until all are done", Scale::Logarithmic, |run| run.completed_ms as f64 / 1_000.0),
        ]
    }

    fn time_charts(&self) -> Vec<Chart> {
        let chart = |name: &str, y: &str, counts: fn(&Load) -> &[u64]| Chart {
            name: format!("{}-{name}", self.scenario),
            title: format!("{}: {y}", self.scenario),
            x: "seconds".to_owned(),
            y: "in each second".to_owned(),
            scale: Scale::Linear,
            lines: self.lines(|run| per_second(run.load.step_ms, counts(&run.load))),
        };
        vec![
            chart("offered", "attempts that reach the server", |load| &load.offered),
            chart("delivered", "requests that end with success", |load| &load.delivered),
            chart("returned", "requests that come back", |load| &load.returned),
            self.waiting_chart(),
        ]
    }

    fn waiting_chart(&self) -> Chart {
        let share = |run: &Run| {
            let reached = run.goodput.thousandths() as f64 / 1_000.0;
            let percentiles = (1_u32..).zip(&run.waiting.percentiles_ms);
            percentiles.map(|(percent, ms)| (f64::from(*ms) / 1_000.0, f64::from(percent) * reached)).collect()
        };
        Chart {
            name: format!("{}-waiting", self.scenario),
            title: format!("{}: requests that have ended with success by then", self.scenario),
            x: "seconds since the request began".to_owned(),
            y: "percent".to_owned(),
            scale: Scale::Linear,
            lines: self.lines(share),
        }
    }

    /// A line for each policy, of all its runs.
    fn lines(&self, points: impl Fn(&Run) -> Vec<(f64, f64)>) -> Vec<Line> {
        let mut lines: Vec<Line> = Vec::new();
        for run in &self.runs {
            match lines.iter_mut().find(|line| line.label == run.policy) {
                Some(line) => line.points.extend(points(run)),
                None => lines.push(Line { label: run.policy.clone(), points: points(run) }),
            }
        }
        lines
    }
}

/// Steps of a second, or longer ones.
fn per_second(step_ms: u64, counts: &[u64]) -> Vec<(f64, f64)> {
    let steps = (1_000 / step_ms).max(1);
    let seconds = (steps * step_ms) as f64 / 1_000.0;
    let sums = counts.chunks(steps as usize).map(|counts| counts.iter().sum::<u64>() as f64);
    sums.enumerate().map(|(at, sum)| (at as f64 * seconds, sum / seconds)).collect()
}

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
