//! The text form of a plan.
//!
//! ```text
//! walguard.lib.k8s.reviewed 0
//! |
//!  dot 3 0 "review"
//!  call 4 is_object 3
//!  ne 4 false
//!  once 2 true
//! |
//!  return 2
//! ```
//!
//! A rule begins at the left margin with its name and the number of its parameters, a query with `> ` before it; `|` begins a
//! block, and statements stand one column further to the right than the block they are in. Constants are written as in JSON;
//! a set is `<…>`.

use std::fmt::Write as _;

use crate::{Block, Constant, Function, Local, Operand, Plan, Statement, locals};

/// What is wrong with a text, and in which line.
#[derive(Debug, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct TextError {
    pub line: usize,
    pub message: String,
}

/// The text of a plan.
#[must_use]
pub fn write(plan: &Plan) -> String {
    let mut text = String::new();
    for (mark, functions) in [("", &plan.functions), ("> ", &plan.entrypoints)] {
        for (name, function) in functions {
            let _ = writeln!(text, "{mark}{name} {}", function.parameters);
            write_blocks(&function.blocks, 0, &mut text);
        }
    }
    text
}

fn write_blocks(blocks: &[Block], depth: usize, text: &mut String) {
    for block in blocks {
        let _ = writeln!(text, "{:depth$}|", "");
        for statement in &block.0 {
            let _ = write!(text, "{:width$}", "", width = depth + 1);
            write_statement(statement, text);
            text.push('\n');
            match statement {
                Statement::Blocks(blocks) => write_blocks(blocks, depth + 2, text),
                other => other.blocks().iter().for_each(|block| {
                    write_blocks(std::slice::from_ref(block), depth + 2, text);
                }),
            }
        }
    }
}

fn write_statement(statement: &Statement, text: &mut String) {
    let mut put = Line { text };
    match statement {
        Statement::Assign { target, source } => put.word("let").local(*target).operand(source),
        Statement::AssignOnce { target, source } => put.word("once").local(*target).operand(source),
        Statement::Reset { target } => put.word("reset").local(*target),
        Statement::Call { target, function, arguments } => {
            put.word("call").local(*target).raw(function).operands(arguments)
        }
        Statement::CallDynamic { target, path } => put.word("dynamic").local(*target).operands(path),
        Statement::Dot { target, source, key } => put.word("dot").local(*target).operand(source).operand(key),
        Statement::Length { target, source } => put.word("length").local(*target).operand(source),
        Statement::Scan { source, key, value, .. } => put.word("scan").operand(source).local(*key).local(*value),
        Statement::Not { .. } => put.word("not"),
        Statement::Blocks(_) => put.word("blocks"),
        Statement::Break(levels) => put.word("break").local(*levels),
        Statement::With { local, path, value, .. } => {
            put = put.word("with").local(*local).operand(value);
            for key in path {
                put = put.operand(&Operand::Constant(Constant::String(key.clone())));
            }
            put
        }
        Statement::MakeArray { target } => put.word("array").local(*target),
        Statement::MakeObject { target } => put.word("object").local(*target),
        Statement::MakeSet { target } => put.word("set").local(*target),
        Statement::Append { array, value } => put.word("append").local(*array).operand(value),
        Statement::Insert { object, key, value } => put.word("insert").local(*object).operand(key).operand(value),
        Statement::InsertOnce { object, key, value } => {
            put.word("insert_once").local(*object).operand(key).operand(value)
        }
        Statement::Add { set, value } => put.word("add").local(*set).operand(value),
        Statement::Merge { target, first, second } => put.word("merge").local(*target).local(*first).local(*second),
        Statement::Equal { left, right } => put.word("eq").operand(left).operand(right),
        Statement::NotEqual { left, right } => put.word("ne").operand(left).operand(right),
        Statement::IsArray { source } => put.word("is_array").operand(source),
        Statement::IsObject { source } => put.word("is_object").operand(source),
        Statement::IsSet { source } => put.word("is_set").operand(source),
        Statement::IsDefined { source } => put.word("defined").local(*source),
        Statement::IsUndefined { source } => put.word("undefined").local(*source),
        Statement::Return { source } => put.word("return").operand(source),
    };
}

struct Line<'a> {
    text: &'a mut String,
}

impl Line<'_> {
    fn word(self, word: &str) -> Self {
        self.text.push_str(word);
        self
    }

    fn raw(self, word: &str) -> Self {
        self.text.push(' ');
        self.word(word)
    }

    fn local(self, local: Local) -> Self {
        let _ = write!(self.text, " {local}");
        self
    }

    /// A local is a bare number, so the constant number is marked.
    fn operand(self, operand: &Operand) -> Self {
        match operand {
            Operand::Local(local) => self.local(*local),
            Operand::Constant(constant) => {
                self.text.push_str(if matches!(constant, Constant::Number(_)) { " #" } else { " " });
                write_constant(constant, self.text);
                self
            }
        }
    }

    fn operands(self, operands: &[Operand]) -> Self {
        operands.iter().fold(self, Self::operand)
    }
}

fn write_constant(constant: &Constant, text: &mut String) {
    match constant {
        Constant::Null => text.push_str("null"),
        Constant::Bool(truth) => text.push_str(if *truth { "true" } else { "false" }),
        Constant::Number(number) => text.push_str(number),
        Constant::String(string) => write_string(string, text),
        Constant::Array(elements) => write_list('[', elements, ']', text),
        Constant::Set(elements) => write_list('<', elements, '>', text),
        Constant::Object(entries) => {
            text.push('{');
            for (index, (key, value)) in entries.iter().enumerate() {
                text.push_str(if index == 0 { "" } else { "," });
                write_constant(key, text);
                text.push(':');
                write_constant(value, text);
            }
            text.push('}');
        }
    }
}

fn write_list(open: char, elements: &[Constant], close: char, text: &mut String) {
    text.push(open);
    for (index, element) in elements.iter().enumerate() {
        text.push_str(if index == 0 { "" } else { "," });
        write_constant(element, text);
    }
    text.push(close);
}

fn write_string(string: &str, text: &mut String) {
    text.push('"');
    for c in string.chars() {
        match c {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\n' => text.push_str("\\n"),
            '\t' => text.push_str("\\t"),
            c if c.is_control() => {
                let _ = write!(text, "\\u{{{:x}}}", u32::from(c));
            }
            c => text.push(c),
        }
    }
    text.push('"');
}

/// Reads the text of a plan.
///
/// # Errors
/// Where the text is none that [`write`] writes.
pub fn read(text: &str) -> Result<Plan, TextError> {
    let mut lines = Lines { lines: text.lines().enumerate().peekable() };
    let mut plan = Plan::default();
    while let Some((number, line)) = lines.lines.next() {
        let (functions, head) = match line.strip_prefix("> ") {
            Some(head) => (&mut plan.entrypoints, head),
            None => (&mut plan.functions, line),
        };
        let fault = || TextError { line: number + 1, message: format!("not the head of a rule: {line}") };
        let (name, parameters) = head.split_once(' ').ok_or_else(fault)?;
        let parameters = parameters.parse().map_err(|_| fault())?;
        let mut function = Function { parameters, locals: 0, blocks: lines.blocks(0)? };
        function.locals = locals(&function);
        functions.insert(name.to_owned(), function);
    }
    Ok(plan)
}

struct Lines<'a> {
    lines: std::iter::Peekable<std::iter::Enumerate<std::str::Lines<'a>>>,
}

impl<'a> Lines<'a> {
    /// The next line without its margin, where it stands in this column.
    fn at(&mut self, column: usize) -> Option<(usize, &'a str)> {
        let (number, line) = *self.lines.peek()?;
        let rest = line.get(column..)?;
        let here = !rest.starts_with(' ') && line[..column].bytes().all(|byte| byte == b' ');
        here.then_some((number + 1, rest))
    }

    fn blocks(&mut self, column: usize) -> Result<Vec<Block>, TextError> {
        let mut blocks = Vec::new();
        while self.at(column).is_some_and(|(_, line)| line == "|") {
            self.lines.next();
            let mut block = Block::default();
            while let Some((number, line)) = self.at(column + 1).filter(|(_, line)| *line != "|") {
                self.lines.next();
                block.0.push(self.statement(number, line, column + 2)?);
            }
            blocks.push(block);
        }
        Ok(blocks)
    }

    fn statement(&mut self, number: usize, line: &str, column: usize) -> Result<Statement, TextError> {
        let mut words = Words { line: number, rest: line };
        let word = words.word();
        let statement = match word {
            "let" => Statement::Assign { target: words.local()?, source: words.operand()? },
            "once" => Statement::AssignOnce { target: words.local()?, source: words.operand()? },
            "reset" => Statement::Reset { target: words.local()? },
            "call" => Statement::Call {
                target: words.local()?,
                function: words.word().to_owned(),
                arguments: words.operands()?,
            },
            "dynamic" => Statement::CallDynamic { target: words.local()?, path: words.operands()? },
            "dot" => Statement::Dot { target: words.local()?, source: words.operand()?, key: words.operand()? },
            "length" => Statement::Length { target: words.local()?, source: words.operand()? },
            "scan" => Statement::Scan {
                source: words.operand()?,
                key: words.local()?,
                value: words.local()?,
                block: self.block(column)?,
            },
            "not" => Statement::Not { block: self.block(column)? },
            "blocks" => Statement::Blocks(self.blocks(column)?),
            "break" => Statement::Break(words.local()?),
            "with" => {
                let (local, value) = (words.local()?, words.operand()?);
                let keys = words.operands()?.into_iter().map(|key| match key {
                    Operand::Constant(Constant::String(key)) => Ok(key),
                    _ => Err(TextError { line: number, message: "a path is of texts".to_owned() }),
                });
                Statement::With { local, value, path: keys.collect::<Result<_, _>>()?, block: self.block(column)? }
            }
            "array" => Statement::MakeArray { target: words.local()? },
            "object" => Statement::MakeObject { target: words.local()? },
            "set" => Statement::MakeSet { target: words.local()? },
            "append" => Statement::Append { array: words.local()?, value: words.operand()? },
            "insert" => Statement::Insert { object: words.local()?, key: words.operand()?, value: words.operand()? },
            "insert_once" => {
                Statement::InsertOnce { object: words.local()?, key: words.operand()?, value: words.operand()? }
            }
            "add" => Statement::Add { set: words.local()?, value: words.operand()? },
            "merge" => Statement::Merge { target: words.local()?, first: words.local()?, second: words.local()? },
            "eq" => Statement::Equal { left: words.operand()?, right: words.operand()? },
            "ne" => Statement::NotEqual { left: words.operand()?, right: words.operand()? },
            "is_array" => Statement::IsArray { source: words.operand()? },
            "is_object" => Statement::IsObject { source: words.operand()? },
            "is_set" => Statement::IsSet { source: words.operand()? },
            "defined" => Statement::IsDefined { source: words.local()? },
            "undefined" => Statement::IsUndefined { source: words.local()? },
            "return" => Statement::Return { source: words.operand()? },
            other => return Err(words.fault(&format!("no statement: {other}"))),
        };
        if words.rest.is_empty() { Ok(statement) } else { Err(words.fault("more than a statement has")) }
    }

    fn block(&mut self, column: usize) -> Result<Block, TextError> {
        Ok(self.blocks(column)?.pop().unwrap_or_default())
    }
}

struct Words<'a> {
    line: usize,
    rest: &'a str,
}

impl<'a> Words<'a> {
    fn fault(&self, message: &str) -> TextError {
        TextError { line: self.line, message: message.to_owned() }
    }

    fn word(&mut self) -> &'a str {
        let (word, rest) = self.rest.split_once(' ').unwrap_or((self.rest, ""));
        self.rest = rest;
        word
    }

    fn local(&mut self) -> Result<Local, TextError> {
        let word = self.word();
        word.parse().map_err(|_| self.fault(&format!("no local: {word}")))
    }

    fn operand(&mut self) -> Result<Operand, TextError> {
        if self.rest.starts_with(|c: char| c.is_ascii_digit()) {
            return self.local().map(Operand::Local);
        }
        self.rest = self.rest.strip_prefix('#').unwrap_or(self.rest);
        let constant = self.constant()?;
        self.rest = self.rest.strip_prefix(' ').unwrap_or(self.rest);
        Ok(Operand::Constant(constant))
    }

    fn operands(&mut self) -> Result<Vec<Operand>, TextError> {
        let mut operands = Vec::new();
        while !self.rest.is_empty() {
            operands.push(self.operand()?);
        }
        Ok(operands)
    }

    fn take(&mut self, prefix: &str) -> bool {
        let rest = self.rest.strip_prefix(prefix);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn constant(&mut self) -> Result<Constant, TextError> {
        for (word, constant) in
            [("null", Constant::Null), ("true", Constant::Bool(true)), ("false", Constant::Bool(false))]
        {
            if self.take(word) {
                return Ok(constant);
            }
        }
        if self.take("\"") {
            return self.string().map(Constant::String);
        }
        if self.take("[") {
            return self.list("]").map(Constant::Array);
        }
        if self.take("<") {
            return self.list(">").map(Constant::Set);
        }
        if self.take("{") {
            let mut entries = Vec::new();
            while !self.take("}") {
                let key = self.constant()?;
                if !self.take(":") {
                    return Err(self.fault("a key without a value"));
                }
                entries.push((key, self.constant()?));
                self.take(",");
            }
            return Ok(Constant::Object(entries));
        }
        let end =
            self.rest.find(|c: char| !matches!(c, '0'..='9' | '-' | '+' | '.' | 'e' | 'E')).unwrap_or(self.rest.len());
        let (number, rest) = self.rest.split_at(end);
        if number.is_empty() {
            return Err(self.fault("no constant"));
        }
        self.rest = rest;
        Ok(Constant::Number(number.to_owned()))
    }

    fn list(&mut self, close: &str) -> Result<Vec<Constant>, TextError> {
        let mut elements = Vec::new();
        while !self.take(close) {
            elements.push(self.constant()?);
            self.take(",");
        }
        Ok(elements)
    }

    fn string(&mut self) -> Result<String, TextError> {
        let mut string = String::new();
        let mut chars = self.rest.char_indices();
        while let Some((at, c)) = chars.next() {
            match c {
                '"' => {
                    self.rest = &self.rest[at + 1..];
                    return Ok(string);
                }
                '\\' => match chars.next() {
                    Some((_, 'n')) => string.push('\n'),
                    Some((_, 't')) => string.push('\t'),
                    Some((_, 'u')) => {
                        let hex: String = chars.by_ref().map(|(_, c)| c).skip(1).take_while(|c| *c != '}').collect();
                        let c = u32::from_str_radix(&hex, 16).ok().and_then(char::from_u32);
                        string.push(c.ok_or_else(|| self.fault("no character"))?);
                    }
                    Some((_, c)) => string.push(c),
                    None => break,
                },
                c => string.push(c),
            }
        }
        Err(self.fault("a text without an end"))
    }
}
