use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use policy_core::{Millis, Wait};

use crate::duration;

const WIDTH: u64 = 24;
const FRAME: Duration = Duration::from_millis(100);

/// A line on stderr that moves while a wait lasts; it is gone when this is dropped.
pub(super) struct Progress(ProgressBar);

impl Progress {
    /// Begins with the wait.
    pub(super) fn begin(wait: &Wait) -> Self {
        let whole = wait.delay.get().max(1);
        let elapsed = move |state: &ProgressState| {
            u64::try_from(state.elapsed().as_millis()).map_or(whole, |elapsed| elapsed.min(whole))
        };
        let bar = move |state: &ProgressState, out: &mut dyn std::fmt::Write| {
            let full = elapsed(state) * WIDTH / whole;
            let _ = (0..WIDTH).try_for_each(|at| out.write_char(if at < full { '━' } else { '─' }));
        };
        let left = move |state: &ProgressState, out: &mut dyn std::fmt::Write| {
            // To a tenth of a second, rounded up: finer digits would only flicker.
            let tenths = (whole - elapsed(state)).div_ceil(100);
            let _ = match tenths {
                0..600 => write!(out, "{}.{} s left", tenths / 10, tenths % 10),
                _ => write!(out, "{} left", duration::text(Millis::from_secs(tenths.div_ceil(10)))),
            };
        };
        let line = ProgressStyle::with_template("            {wait_bar:.cyan} {wait_left} (Ctrl-C cancels)");
        let style = line.unwrap_or_else(|_| ProgressStyle::default_spinner());
        let progress = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        progress.set_style(style.with_key("wait_bar", bar).with_key("wait_left", left));
        progress.enable_steady_tick(FRAME);
        Self(progress)
    }

    /// Writes something else to the terminal.
    pub(super) fn suspend(&self, write: impl FnOnce()) {
        self.0.suspend(write);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
