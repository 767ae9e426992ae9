//! Rego with no more spaces and ends of lines than it needs. An end of line is two letters in JSON, a semicolon one, and tens of thousands stand
//! where neither is needed.

use crate::tokens::{tokens, word};

/// A module that means the same: a line for each rule, or part of one that begins at the left margin. No text in it may span lines, and
/// no comment may stand in it.
#[must_use]
pub fn squeezed(module: &str) -> String {
    let mut text = String::with_capacity(module.len());
    let mut depth = 0_usize;
    for (start, token) in tokens(module) {
        let after = &module[start + token.len()..];
        match token {
            "{" | "[" | "(" => depth += 1,
            "}" | "]" | ")" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if token.starts_with(char::is_whitespace) {
            // opa fmt ends lists of several lines with a comma.
            if text.ends_with(',') && after.starts_with(['}', ']', ')']) {
                text.pop();
            }
            text.push_str(between(&text, after, depth, token.contains('\n')));
        } else {
            text.push_str(token);
        }
    }
    text
}

/// What has to stand between two texts that something without a meaning separates, in so many brackets.
fn between(before: &str, after: &str, depth: usize, new_line: bool) -> &'static str {
    if new_line && depth == 0 {
        return "\n";
    }
    let (Some(last), Some(next)) = (before.chars().last(), after.chars().next()) else { return "" };
    let joins = |c: char| matches!(c, ',' | ':' | '=' | '|' | '<' | '>' | '+' | '*' | '/' | '&' | '!');
    if joins(last) || joins(next) || matches!(last, '{' | '[' | '(') || matches!(next, '}' | ']' | ')') {
        return "";
    }
    // `a with input as b` goes on with its next line.
    if new_line && !after.starts_with("with ") {
        return ";";
    }
    // A word with a bracket is a reference or a call, and a minus before a digit is part of the number.
    if (word(last) && (word(next) || matches!(next, '[' | '('))) || last == '-' || next == '-' { " " } else { "" }
}

#[cfg(test)]
mod tests {
    use super::squeezed;

    #[test]
    fn nothing_is_left_that_says_nothing() {
        let module = "a contains b if {\n\tsome b in [\n\t\t1,\n\t\tc( `x  y` , 2 ),\n\t]\n\tnot {b}\n\t[d, e] := b - 1\n\tf == 2\n\t\twith input as e\n\t\twith data.g as {}\n} else := b if b in {1}\n\nh := {x |\n\tsome x in \"\\\" {\"\n\tx in y\n}\n";
        let squeezed_text = "a contains b if{some b in [1,c(`x  y`,2)];not{b};[d,e]:=b - 1;f==2 with input as e with data.g as{}}else:=b if b in{1}\nh:={x|some x in\"\\\" {\";x in y}\n";
        assert_eq!(squeezed(module), squeezed_text);
        assert_eq!(squeezed(squeezed_text), squeezed_text);
    }
}
