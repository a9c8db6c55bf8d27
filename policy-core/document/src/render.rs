//! Problems beside the text that they are about, as compilers show them.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use crate::problem::{Place, Problem, Problems, Severity};

/// Most problems that are shown: who mends these sees the next.
const SHOWN_MAX: usize = 20;

impl Problems {
    /// The first 20 problems beside the lines that they are about, and how many more there are; in colours if `coloured`,
    /// else in plain text. A last line says so if contradictions were not looked for.
    ///
    /// ```
    /// use refrain_document::{Document, Format};
    /// let text = "schema = 1\nname = \"a\"\nversion = \"1.0.0\"\nlimit = {}";
    /// let problems = Document::parse(text, Format::Toml).unwrap_err().in_file("a.toml");
    /// assert!(problems.render(false).contains("a.toml:4:1"));
    /// ```
    #[must_use]
    pub fn render(&self, coloured: bool) -> String {
        let renderer = if coloured { Renderer::styled() } else { Renderer::plain() };
        let shown = self.iter().take(SHOWN_MAX).map(|problem| renderer.render(&self.report(problem)));
        let more = match self.len().saturating_sub(SHOWN_MAX) {
            0 => None,
            1 => Some("and 1 more problem".to_owned()),
            more => Some(format!("and {more} more problems")),
        };
        let rest = "contradictions between settings are looked for once all of them can be read";
        let rest = self.are_first().then(|| rest.to_owned());
        shown.chain(more).chain(rest).collect::<Vec<_>>().join("\n\n")
    }

    fn report<'a>(&'a self, problem: &'a Problem) -> Vec<Group<'a>> {
        let level = match problem.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        let mut snippet = Snippet::source(self.text()).path(self.file().unwrap_or("document"));
        let marked = AnnotationKind::Primary.span(self.within(&problem.place));
        snippet = snippet.annotation(if problem.label.is_empty() { marked } else { marked.label(&*problem.label) });
        for (place, label) in &problem.also {
            snippet = snippet.annotation(AnnotationKind::Context.span(self.within(place)).label(&**label));
        }
        let group = level.primary_title(&*problem.message).element(snippet);
        vec![match &problem.help {
            Some(help) => group.element(Level::HELP.message(&**help)),
            None => group,
        }]
    }

    /// The place, cut to what the text has: a parser may point behind the end.
    fn within(&self, place: &Place) -> Place {
        let end = place.end.min(self.text().len());
        place.start.min(end)..end
    }
}
