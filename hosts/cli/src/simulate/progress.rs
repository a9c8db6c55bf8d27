use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use refrain_simulator::Progress;

/// A line on stderr that moves while a simulation runs, if that is a terminal; it is gone when this is dropped.
pub(super) struct Bar(ProgressBar);

impl Bar {
    pub(super) fn begin() -> Self {
        let line =
            ProgressStyle::with_template("{bar:24.cyan} {human_pos} of {human_len} requests have ended, {elapsed}");
        let style = line.unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        bar.set_style(style.progress_chars("━━─"));
        Self(bar)
    }

    pub(super) fn show(&self, progress: Progress) {
        self.0.set_length(progress.total);
        self.0.set_position(progress.ended);
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
