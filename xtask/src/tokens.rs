//! What a linked module is made of, for those that write it shorter. Links read more of it (`link.rs`).

use crate::link::string_length;

/// The texts, words, blanks and other letters of a module, one after another and nothing left out, each with the place where it begins.
pub fn tokens(module: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = &module[at..];
        let first = rest.chars().next()?;
        let until = |ends: fn(char) -> bool| rest.find(ends).unwrap_or(rest.len());
        let length = match first {
            '"' | '`' => string_length(rest, first),
            c if c.is_whitespace() => until(|c| !c.is_whitespace()),
            c if word(c) => until(|c| !word(c)),
            c => c.len_utf8(),
        };
        let start = at;
        at += length;
        Some((start, &rest[..length]))
    })
}

/// Whether a letter is one of a name or a number.
pub fn word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::tokens;

    #[test]
    fn every_letter_is_part_of_one() {
        let module = "a1_b :=  \"x \\\" y\"\n`\"`[é]";
        let all: Vec<&str> = tokens(module).map(|(_, token)| token).collect();
        assert_eq!(all, ["a1_b", " ", ":", "=", "  ", "\"x \\\" y\"", "\n", "`\"`", "[", "é", "]"]);
        assert!(tokens(module).all(|(start, token)| module[start..].starts_with(token)));
    }
}
