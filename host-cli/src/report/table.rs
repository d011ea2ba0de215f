//! Tables of a page.

use maud::{Markup, html};

use crate::output::Grid;

/// Rows above which a table is folded.
const FOLDED: usize = 24;
/// Characters of a cell from which on its column is kept wide: in a narrow window every word would have a line of its own.
const WIDE: usize = 28;

/// A table in a box that scrolls for itself. `caption` is its name.
pub fn table(caption: &str, grid: &Grid) -> Markup {
    table_with(caption, grid, |_, _| None)
}

/// The same; `class` gives cells (row, column) a class.
pub fn table_with(
    caption: &str,
    grid: &Grid,
    class: impl Fn(usize, usize) -> Option<&'static str>,
) -> Markup {
    let body = whole(caption, grid, class);
    if grid.rows.len() > FOLDED {
        let rows = grid.rows.len();
        return fold(&format!("{caption} ({rows} rows)"), &body);
    }
    body
}

/// The same; it is never folded.
pub fn whole(
    caption: &str,
    grid: &Grid,
    class: impl Fn(usize, usize) -> Option<&'static str>,
) -> Markup {
    let right: Vec<bool> = (0..grid.columns.len())
        .map(|c| is_number(grid, c))
        .collect();
    let wide = |column: usize| {
        let cells = grid.rows.iter().filter_map(|row| row.get(column));
        cells
            .map(|c| c.chars().count())
            .max()
            .is_some_and(|n| n > WIDE)
    };
    let wide: Vec<bool> = (0..grid.columns.len()).map(wide).collect();
    let align = |column: usize| match (right.get(column), wide.get(column)) {
        (Some(true), _) => Some("n"),
        (_, Some(true)) => Some("w"),
        _ => None,
    };
    html! {
        div.scroll tabindex="0" role="region" aria-label=(caption) {
            table {
                caption { (caption) }
                thead { tr {
                    @for (at, column) in grid.columns.iter().enumerate() {
                        th scope="col" class=[align(at)] { (unbroken(column)) }
                    }
                } }
                tbody {
                    @for (r, row) in grid.rows.iter().enumerate() {
                        tr {
                            @for (c, cell) in row.iter().enumerate() {
                                @let classes = joined(align(c), class(r, c));
                                @if c == 0 {
                                    th scope="row" class=[classes] { (cell) }
                                } @else {
                                    td class=[classes] { (cell) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Something that is shown when it is asked for. On paper it is shown always.
pub fn fold(title: &str, body: &Markup) -> Markup {
    html! { details { summary { (title) } (body) } }
}

fn joined(a: Option<&str>, b: Option<&str>) -> Option<String> {
    let all: Vec<&str> = [a, b].into_iter().flatten().collect();
    (!all.is_empty()).then(|| all.join(" "))
}

fn is_number(grid: &Grid, column: usize) -> bool {
    let mut cells = grid.rows.iter().filter_map(|row| row.get(column));
    let number = |cell: &String| {
        let plain = cell.replace('\u{202f}', "");
        is_nothing(cell) || plain.parse::<f64>().is_ok()
    };
    cells.clone().any(|c| !is_nothing(c)) && cells.all(number)
}

/// A short name of a column on one line.
fn unbroken(name: &str) -> String {
    if name.chars().count() > 9 {
        return name.to_owned();
    }
    name.replace(' ', "\u{a0}")
}

fn is_nothing(cell: &str) -> bool {
    matches!(cell, "" | "-" | "·")
}

/// Class of a shade between none (0) and full (1).
pub fn shade(share: f64) -> &'static str {
    const SHADES: [&str; 11] = [
        "h0", "h1", "h2", "h3", "h4", "h5", "h6", "h7", "h8", "h9", "h10",
    ];
    if share.is_nan() || share <= 0.0 {
        return SHADES[0];
    }
    // What there is a little of is not shown as nothing.
    let step = (share * 10.0).round().clamp(1.0, 10.0);
    SHADES[step as usize]
}

/// Counts with spaces between thousands.
pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push('\u{202f}');
        }
        out.push(digit);
    }
    out
}

/// A number with as many words of `noun` as it takes.
pub fn many(n: usize, noun: &str) -> String {
    let end = if n == 1 { "" } else { "s" };
    format!("{n} {noun}{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shades_and_thousands() {
        assert_eq!((shade(0.0), shade(0.001), shade(1.0)), ("h0", "h1", "h10"));
        assert_eq!(
            (shade(f64::NAN), shade(-1.0), shade(9.0)),
            ("h0", "h0", "h10")
        );
        assert_eq!(grouped(1_234_567), "1\u{202f}234\u{202f}567");
        assert_eq!(
            (grouped(0), grouped(999)),
            ("0".to_owned(), "999".to_owned())
        );
    }
}
