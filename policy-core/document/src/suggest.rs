//! What was probably meant.

/// The one of `known` that `written` is most like, if it is like one at all.
pub(crate) fn nearest<'a>(written: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let plain = |text: &str| text.to_ascii_lowercase().replace('_', "-");
    let written = plain(written);
    let distance = |name: &str| strsim::osa_distance(&written, &plain(name));
    let (distance, name) =
        known.into_iter().map(|name| (distance(name), name)).min_by_key(|(distance, _)| *distance)?;
    // A third of the letters may be wrong.
    (distance <= name.chars().count().div_ceil(3)).then_some(name)
}

/// Each in backticks, the last behind a word such as "and".
pub(crate) fn listed<'a>(names: impl IntoIterator<Item = &'a str>, word: &str) -> String {
    let names: Vec<_> = names.into_iter().map(|name| format!("`{name}`")).collect();
    match names.as_slice() {
        [] => "none".to_owned(),
        [name] => name.clone(),
        [names @ .., last] => format!("{} {word} {last}", names.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEYS: [&str; 4] = ["max_attempts", "deadline", "deadline_bounds", "max_wait"];

    #[test]
    fn a_slip_finds_the_key_and_another_word_none() {
        for (written, meant) in [("max_atempts", "max_attempts"), ("max-wait", "max_wait"), ("Deadlin", "deadline")] {
            assert_eq!(nearest(written, KEYS), Some(meant));
        }
        for written in ["", "retries", "x", "timeout"] {
            assert_eq!(nearest(written, KEYS), None, "{written}");
        }
    }
}
