//! The schedule of a policy as a table and as a picture, before anything is drawn.
//!
//! ```text
//! cargo run --example plan
//! ```

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::time::Duration;

use relent::{Constant, Decorrelated, Exponential, Jitter, PlanRow, Policy, Retry, Table};

const WIDTH: usize = 60;

fn main() -> io::Result<()> {
    let ms = Duration::from_millis;
    show("Exponential::default()", Exponential::default().plan().take(9))?;
    show(
        "initial 800 ms, x1.5, max_interval = max_delay = 1.2 s: jitter stays alive at the cap",
        Exponential::new(ms(800)).with_max_interval(ms(1_200)).with_max_delay(ms(1_200)).plan().take(5),
    )?;
    show(
        "full jitter, doubling from 100 ms, at most 5 s",
        Exponential::new(ms(100))
            .with_multiplier(2.0)
            .with_max_interval(ms(5_000))
            .with_jitter(Jitter::Full)
            .plan()
            .take(8),
    )?;
    show(
        "decorrelated from 100 ms, at most 10 s",
        Decorrelated::new(ms(100)).with_max_delay(ms(10_000)).plan().take(6),
    )?;
    show(
        "200 ms, 1 s, 4 s, 15 s for ever, each at least half",
        Table::new([200, 1_000, 4_000, 15_000].map(ms)).with_jitter(Jitter::Equal).repeat_last().plan().take(6),
    )?;
    show(
        "three quick ones, then every 2 s; six attempts, at most 5 s",
        Retry::new(Constant::new(ms(100)).max_retries(3).then(Constant::new(ms(2_000))))
            .with_max_attempts(6)
            .with_max_elapsed(ms(5_000))
            .plan(),
    )?;
    Ok(())
}

fn show(title: &str, rows: impl Iterator<Item = PlanRow>) -> io::Result<()> {
    match io::stdout().write_all(page(title, rows).as_bytes()) {
        // `plan | head` has seen enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

fn page(title: &str, rows: impl Iterator<Item = PlanRow>) -> String {
    let rows: Vec<_> = rows.collect();
    let longest = rows.iter().map(|row| row.band().hi()).max().unwrap_or_default();
    let mut page = format!("{title}\n\nretry  nominal  band               sum from    to     mean\n");
    for row in &rows {
        let (lo, hi) = (row.band().lo(), row.band().hi());
        let places = if hi >= Duration::from_secs(10) { 1 } else { 3 };
        _ = writeln!(
            page,
            "{:>5}  {:>7}  {:<17}  {:>8}  {:>7}  {:>7}",
            row.retry(),
            row.nominal().map_or("-".into(), |nominal| seconds(nominal, places)),
            format!("[{}, {}]", seconds(lo, places), seconds(hi, places)),
            seconds(row.best(), places),
            seconds(row.worst(), places),
            row.mean().map_or("-".into(), |mean| seconds(mean, places)),
        );
    }
    page.push('\n');
    for row in &rows {
        _ = writeln!(page, "{:>5}  |{}|", row.retry(), bar(row.band().lo(), row.band().hi(), longest));
    }
    _ = writeln!(page, "       0{:>WIDTH$} s\n", seconds(longest, 1));
    page
}

/// The band as a bar from its shortest to its longest wait.
fn bar(lo: Duration, hi: Duration, longest: Duration) -> String {
    let column = |span: Duration| (span.as_nanos() * (WIDTH as u128 - 1)).checked_div(longest.as_nanos()).unwrap_or(0);
    (0..WIDTH as u128).map(|at| if (column(lo)..=column(hi)).contains(&at) { '#' } else { ' ' }).collect()
}

/// To so many places, without trailing zeros.
fn seconds(span: Duration, places: usize) -> String {
    let text = format!("{:.places$}", span.as_secs_f64());
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
