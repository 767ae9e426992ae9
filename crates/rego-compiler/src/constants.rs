//! Texts and collections that the rules hold.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;

use rego_plan::{Constant, Operand, Plan, words};

/// Constant objects with more entries than this have a table of their places.
pub const FEW: usize = 8;

/// The constants of a program, each written once.
pub struct Constants {
    words: HashMap<String, usize>,
    sorted: Vec<String>,
    /// Definitions of statics by what they hold, and in order.
    known: HashMap<String, String>,
    definitions: Vec<String>,
}

impl Constants {
    /// Knows every text of a plan, so that each has its rank.
    pub fn of(plan: &Plan) -> Self {
        let mut texts = BTreeSet::new();
        for function in plan.functions.values() {
            function.visit(&mut |statement| {
                for operand in statement.operands() {
                    if let Operand::Constant(constant) = operand {
                        collect(constant, &mut texts);
                    }
                }
                if let rego_plan::Statement::With { path, .. } = statement {
                    texts.extend(path.iter().cloned());
                }
            });
        }
        let sorted: Vec<String> = texts.into_iter().collect();
        let words = sorted.iter().enumerate().map(|(index, text)| (text.clone(), index + 1)).collect();
        Self { words, sorted, known: HashMap::new(), definitions: Vec::new() }
    }

    /// The rank of a text.
    pub fn rank(&self, text: &str) -> usize {
        self.words.get(text).copied().unwrap_or_default()
    }

    /// The place of a text among the words.
    pub fn place(&self, text: &str) -> String {
        format!("&W[{}]", self.rank(text) - 1)
    }

    /// A text as a Rust expression.
    pub fn word(&self, text: &str) -> String {
        format!("T({})", self.place(text))
    }

    /// The rank of a key that is a text, and 0 of another one.
    fn rank_of(&self, key: &Constant) -> usize {
        match key {
            Constant::String(text) => self.rank(text),
            _ => 0,
        }
    }

    /// A value as a Rust expression.
    pub fn expression(&mut self, constant: &Constant) -> String {
        match constant {
            Constant::Null => "V::Null".to_owned(),
            Constant::Bool(truth) => (if *truth { "V::True" } else { "V::False" }).to_owned(),
            Constant::String(text) => self.word(text),
            Constant::Number(number) => match number.parse::<i64>() {
                Ok(int) if int.to_string() == *number => format!("I({int})"),
                _ => {
                    let int = number.split_once('.').filter(|(_, fraction)| fraction.bytes().all(|byte| byte == b'0'));
                    let int = int.and_then(|(whole, _)| whole.parse::<i64>().ok());
                    let name = self.definition("N", "Number<'static>", &format!("Number::new({number:?}, {int:?})"));
                    format!("V::Number(&{name})")
                }
            },
            _ => {
                let value = self.collection(constant);
                self.definition("K", "V<'static>", &value)
            }
        }
    }

    /// The same within a static, where everything can stand in place.
    fn nested(&mut self, constant: &Constant) -> String {
        match constant {
            Constant::Array(_) | Constant::Set(_) | Constant::Object(_) => self.collection(constant),
            other => self.expression(other),
        }
    }

    fn collection(&mut self, constant: &Constant) -> String {
        match constant {
            Constant::Array(elements) => format!("V::Array(&(&[{}] as &[_]))", self.list(elements)),
            Constant::Set(elements) => format!("V::Set(&(&[{}] as &[_]))", self.list(elements)),
            Constant::Object(entries) => {
                let mut list = String::new();
                for (key, value) in entries {
                    let (key, value) = (self.nested(key), self.nested(value));
                    let _ = write!(list, "({key}, {value}), ");
                }
                let ranks: Vec<usize> = entries.iter().map(|(key, _)| self.rank_of(key)).collect();
                let mut places = vec![0; if entries.len() > FEW { words::slots(entries.len()) } else { 0 }];
                words::places(ranks.iter().copied(), &mut places);
                format!("V::Object(&Object::new(&[{list}], {}, &{places:?}))", words::bits(ranks))
            }
            scalar => self.expression(scalar),
        }
    }

    fn list(&mut self, elements: &[Constant]) -> String {
        elements.iter().map(|element| self.nested(element)).collect::<Vec<_>>().join(", ")
    }

    fn definition(&mut self, prefix: &str, of_type: &str, value: &str) -> String {
        if let Some(name) = self.known.get(value) {
            return name.clone();
        }
        let name = format!("{prefix}{}", self.definitions.len());
        self.definitions.push(format!("pub static {name}: {of_type} = {value};\n"));
        self.known.insert(value.to_owned(), name.clone());
        name
    }

    /// The texts and the statics.
    pub fn source(&self) -> String {
        let texts: Vec<&str> = self.sorted.iter().map(String::as_str).collect();
        let table = words::table(&texts);
        let longest = texts.iter().map(|text| text.len()).max().unwrap_or_default();
        let mut source = format!("/// Every text of the rules.\npub static W: [&str; {}] = {texts:?};\n", texts.len());
        let _ = writeln!(source, "static SLOTS: [u16; {}] = {table:?};", table.len());
        let _ = writeln!(
            source,
            "/// The same, to find one by.\npub static WORDS: Words = Words::new(&W, &SLOTS, {longest});\n"
        );
        self.definitions.iter().for_each(|definition| source.push_str(definition));
        source
    }
}

fn collect(constant: &Constant, texts: &mut BTreeSet<String>) {
    match constant {
        Constant::String(text) => {
            texts.insert(text.clone());
        }
        Constant::Array(elements) | Constant::Set(elements) => {
            elements.iter().for_each(|element| collect(element, texts));
        }
        Constant::Object(entries) => entries.iter().for_each(|(key, value)| {
            collect(key, texts);
            collect(value, texts);
        }),
        _ => {}
    }
}
