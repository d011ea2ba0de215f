//! Lines over a number or over time.

use maud::{Markup, html};

use super::svg::{Scale, px, svg};

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 240.0;
const LEFT: f64 = 76.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 46.0;
/// Lines that can be told apart.
pub const MOST: usize = 8;
/// Points of a line that are marked one by one.
const MARKED: usize = 40;

/// A line.
#[derive(Clone, Debug, Default)]
pub struct Series {
    /// Its name.
    pub name: String,
    /// Points: x, y.
    pub points: Vec<(f64, f64)>,
    /// Spread around it: x, lowest, highest.
    pub band: Vec<(f64, f64, f64)>,
}

/// A picture of lines.
pub struct Lines<'l> {
    /// Unique in the page.
    pub id: &'l str,
    /// What it shows.
    pub title: &'l str,
    /// Name and unit of x.
    pub x: &'l str,
    /// Name and unit of y.
    pub y: &'l str,
    /// How values of x are written.
    pub x_text: fn(f64) -> String,
    /// How values of y are written.
    pub y_text: fn(f64) -> String,
    /// y is logarithmic.
    pub log: bool,
    /// At most [`MOST`] of them are drawn.
    pub series: &'l [Series],
}

impl Lines<'_> {
    /// The picture with its legend.
    pub fn draw(&self) -> Markup {
        let series = &self.series[..self.series.len().min(MOST)];
        let points = || series.iter().flat_map(|s| s.points.iter());
        let bands = || series.iter().flat_map(|s| s.band.iter());
        let fold = |values: &mut dyn Iterator<Item = f64>, of: fn(f64, f64) -> f64| {
            values.filter(|v| v.is_finite()).reduce(of)
        };
        let x_low = fold(&mut points().map(|p| p.0), f64::min).unwrap_or(0.0);
        let x_high = fold(&mut points().map(|p| p.0), f64::max).unwrap_or(1.0);
        let mut ys = points().map(|p| p.1).chain(bands().map(|b| b.2));
        let y_high = fold(&mut ys, f64::max).unwrap_or(1.0);
        let mut ys = points().map(|p| p.1).chain(bands().map(|b| b.1));
        let y_low = fold(&mut ys, f64::min).unwrap_or(0.0);
        let right = LEFT + WIDTH;
        let foot = TOP + HEIGHT;
        let x = Scale::linear(x_low.min(0.0), x_high, LEFT, right);
        let y = match self.log {
            true => Scale::log(y_low, y_high, foot, TOP),
            false => Scale::linear(y_low.min(0.0), y_high * 1.05, foot, TOP),
        };
        let names: Vec<&str> = series.iter().map(|s| s.name.as_str()).collect();
        let desc = format!(
            "{} over {}: {}. {} from {} to {}; the table has the numbers.",
            self.y,
            self.x,
            names.join(", "),
            self.y,
            (self.y_text)(y_low),
            (self.y_text)(y_high)
        );
        let body = html! {
            @for tick in x.ticks() {
                @let at = px(x.at(tick));
                line.grid x1=(at) x2=(at) y1=(px(TOP)) y2=(px(foot)) {}
                text.t x=(at) y=(px(foot + 16.0)) text-anchor="middle" { ((self.x_text)(tick)) }
            }
            @for tick in y.ticks() {
                @let at = y.at(tick);
                line.grid x1=(px(LEFT)) x2=(px(right)) y1=(px(at)) y2=(px(at)) {}
                text.t x=(px(LEFT - 6.0)) y=(px(at + 4.0)) text-anchor="end" { ((self.y_text)(tick)) }
            }
            text.t x=(px((LEFT + right) / 2.0)) y=(px(foot + 36.0)) text-anchor="middle" { (self.x) }
            text.t text-anchor="middle" transform=(format!("translate(14 {}) rotate(-90)", px((TOP + foot) / 2.0))) { (self.y) }
            @for (at, s) in series.iter().enumerate() { (line(at, s, &x, &y)) }
        };
        html! {
            (svg(self.id, self.title, &desc, (right + 16.0, foot + BOTTOM), &body))
            ul.legend {
                @for (at, s) in series.iter().enumerate() {
                    li { (swatch(at)) (s.name) }
                }
            }
            @if self.series.len() > MOST {
                p.small { "Shown are " (MOST) " of " (self.series.len()) " lines; the table has all of them." }
            }
        }
    }
}

fn line(at: usize, s: &Series, x: &Scale, y: &Scale) -> Markup {
    let path = |points: &mut dyn Iterator<Item = (f64, f64)>| {
        let points = points.filter(|p| p.0.is_finite() && p.1.is_finite());
        let points = points.map(|(a, b)| format!("{} {}", px(x.at(a)), px(y.at(b))));
        points.collect::<Vec<_>>().join("L")
    };
    let drawn = path(&mut s.points.iter().copied());
    let up = s.band.iter().map(|b| (b.0, b.2));
    let down = s.band.iter().rev().map(|b| (b.0, b.1));
    let band = path(&mut up.chain(down));
    let marked = s.points.len() <= MARKED;
    html! {
        g class=(format!("s{at}")) {
            title { (s.name) }
            @if !band.is_empty() { path.band d=(format!("M{band}z")) {} }
            @if !drawn.is_empty() { path.line d=(format!("M{drawn}")) {} }
            @if marked {
                @for p in &s.points {
                    @if p.0.is_finite() && p.1.is_finite() {
                        path.mark d=(mark(at, x.at(p.0), y.at(p.1))) {}
                    }
                }
            }
        }
    }
}

/// Every line has a mark of its own: colour alone does not tell them apart.
fn mark(at: usize, x: f64, y: f64) -> String {
    let at_point = |dx: f64, dy: f64| format!("{} {}", px(x + dx), px(y + dy));
    let closed = |points: &[(f64, f64)]| {
        let points: Vec<String> = points.iter().map(|(a, b)| at_point(*a, *b)).collect();
        format!("M{}z", points.join("L"))
    };
    match at {
        0 => format!(
            "M{}a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0z",
            at_point(-3.5, 0.0)
        ),
        1 => closed(&[(-3.2, -3.2), (3.2, -3.2), (3.2, 3.2), (-3.2, 3.2)]),
        2 => closed(&[(0.0, -4.2), (4.0, 3.2), (-4.0, 3.2)]),
        3 => closed(&[(0.0, -4.6), (4.6, 0.0), (0.0, 4.6), (-4.6, 0.0)]),
        4 => closed(&[(0.0, 4.2), (4.0, -3.2), (-4.0, -3.2)]),
        5 => closed(&[(-4.2, -1.4), (4.2, -1.4), (4.2, 1.4), (-4.2, 1.4)]),
        6 => closed(&[(-1.4, -4.4), (1.4, -4.4), (1.4, 4.4), (-1.4, 4.4)]),
        _ => closed(&[(-4.0, 0.0), (-1.0, -4.0), (4.0, -2.0), (2.0, 4.0)]),
    }
}

/// A piece of the line for the legend.
fn swatch(at: usize) -> Markup {
    html! {
        svg.swatch aria-hidden="true" width="34" height="12" viewBox="0 0 34 12" {
            g class=(format!("s{at}")) {
                path.line d="M1 6L33 6" {}
                path.mark d=(mark(at, 17.0, 6.0)) {}
            }
        }
    }
}
