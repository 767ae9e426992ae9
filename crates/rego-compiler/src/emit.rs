//! Writing one rule as a Rust function, and what surrounds all of them.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt::Write as _;

use rego_plan::{Block, Constant, DATA, FIRST_PARAMETER, INPUT, Local, Operand, Statement, words};

use crate::constants::{Constants, FEW};
use crate::program::{Program, Rule, Unsupported};
use crate::shape::{Kind, Shape};

/// How a module of rules begins.
pub const HEAD: &str = "// Written by rego-compiler from the plan of the rules.\n\nuse super::*;\n";

/// Builtins whose value is true or false, so that nothing but true lets an expression hold.
const QUESTIONS: [&str; 21] = [
    "base64.is_valid",
    "contains",
    "endswith",
    "equal",
    "gt",
    "gte",
    "internal.member_2",
    "internal.member_3",
    "is_array",
    "is_boolean",
    "is_null",
    "is_number",
    "is_object",
    "is_set",
    "is_string",
    "json.is_valid",
    "lt",
    "lte",
    "neq",
    "regex.match",
    "startswith",
];

/// The root of the source: texts, constants, and the rules by name.
pub fn root(
    program: &Program<'_>,
    constants: &Constants,
    patterns: &BTreeSet<&str>,
    modules: usize,
    each: usize,
) -> String {
    let mut source = String::from(
        "// Written by rego-compiler from the plan of the rules.\n\n\
         use rego_runtime::Value as V;\nuse rego_runtime::Value::{Int as I, Word as T};\n\
         use rego_runtime::builtins as b;\nuse rego_runtime::{Answer, Builder, Compiled, Context, Number, Object, Words, compiled};\n\n",
    );
    source.push_str(&constants.source());
    let _ = writeln!(
        source,
        "\n/// Places that rules have in the memory of an evaluation; the first of them depend on no input.\n\
         pub const REMEMBERED: usize = {};\nconst STEADY: usize = {};\n\
         /// Functions whose last call is kept.\npub const CALLS: usize = {};\n",
        program.remembered, program.steady, program.calls
    );
    let patterns: Vec<String> = patterns.iter().map(|text| constants.rank(text).to_string()).collect();
    let _ = writeln!(
        source,
        "/// The ranks of the texts that are regular expressions.\npub static PATTERNS: [u16; {}] = [{}];\n",
        patterns.len(),
        patterns.join(", ")
    );
    source.push_str("/// The rules without parameters, by name.\npub static RULES: &[(&str, Compiled)] = &[\n");
    for (name, rule) in program.named() {
        let (module, number, place) = (rule.number / each, rule.number, rule.place);
        let _ = writeln!(source, "    ({name:?}, Compiled {{ rule: m{module}::r{number}, place: {place:?} }}),");
    }
    source.push_str("];\n\n");
    for module in 0..modules {
        let _ = writeln!(source, "mod m{module} {{\n    include!(concat!(env!(\"OUT_DIR\"), \"/m{module}.rs\"));\n}}");
    }
    for module in 0..modules {
        let _ = writeln!(source, "use m{module}::*;");
    }
    source
}

/// Writes a rule behind a text.
///
/// # Errors
/// When it does something that is not known.
pub fn rule(
    program: &Program<'_>,
    rule: &Rule<'_>,
    constants: &mut Constants,
    text: &mut String,
) -> Result<(), Unsupported> {
    let shape = Shape::of(rule.function);
    let _ = write!(text, "\n/// `{}`\npub fn r{}<'a>(c: &Context<'a>", rule.name, rule.number);
    for parameter in 0..rule.function.parameters {
        let local = FIRST_PARAMETER + parameter;
        let changes = if shape.kind(local) == Kind::Variable { "mut " } else { "" };
        let _ = write!(text, ", {changes}l{local}: V<'a>");
    }
    text.push_str(") -> Answer<'a> {\n");
    if rule.left {
        let _ = write!(
            text,
            "    c.extended({:?}, r{}_own(c)?)\n}}\n\nfn r{}_own<'a>(c: &Context<'a>) -> Answer<'a> {{\n",
            rule.name, rule.number, rule.number
        );
    }
    let parameters = FIRST_PARAMETER..FIRST_PARAMETER + rule.function.parameters;
    let mut variables = shape.of_kind(Kind::Variable);
    variables.retain(|local| *local > DATA && !parameters.contains(local));
    for local in &variables {
        let _ = writeln!(text, "    let mut l{local} = V::Undefined;");
    }
    for local in shape.of_kind(Kind::Builder) {
        let _ = writeln!(text, "    let mut l{local} = Builder::UNDEFINED;");
    }
    let mut writer = Writer {
        program,
        rule,
        shape,
        constants,
        text,
        labels: Vec::new(),
        next_label: 0,
        literals: HashMap::new(),
        within: HashMap::new(),
        unset: variables.into_iter().collect(),
        withs: Vec::new(),
        ended: false,
    };
    for block in &rule.function.blocks {
        writer.block(block)?;
    }
    if !writer.ended {
        text.push_str("    Ok(V::Undefined)\n");
    }
    text.push_str("}\n");
    Ok(())
}

/// The locals that a block gives a value.
fn written(block: &Block) -> HashSet<Local> {
    let mut written = HashSet::new();
    block.visit(&mut |statement| {
        if !matches!(statement, Statement::Reset { .. }) {
            written.extend(statement.writes());
        }
    });
    written
}

struct Writer<'w, 'p> {
    program: &'w Program<'p>,
    rule: &'w Rule<'p>,
    shape: Shape,
    constants: &'w mut Constants,
    text: &'w mut String,
    /// The labels of the blocks that are open.
    labels: Vec<usize>,
    next_label: usize,
    /// The parts of literals so far.
    literals: HashMap<Local, Vec<(String, String)>>,
    /// Locals that are written within the one expression that reads them, and whether that is an answer, which may have ended.
    within: HashMap<Local, (String, bool)>,
    /// Variables that have no value here, whichever way was taken.
    unset: HashSet<Local>,
    /// How many blocks were open where each `with` began.
    withs: Vec<usize>,
    /// The function has returned in any case.
    ended: bool,
}

type Written = Result<(), Unsupported>;

impl Writer<'_, '_> {
    fn unsupported(&self, what: &str) -> Unsupported {
        Unsupported { rule: self.rule.name.to_owned(), what: what.to_owned() }
    }

    fn line(&mut self, line: &str) {
        let depth = self.labels.len() + 1;
        let _ = writeln!(self.text, "{:width$}{line}", "", width = depth * 4);
    }

    fn open(&mut self, line: &str) {
        self.line(line);
        self.labels.push(usize::MAX);
    }

    fn close(&mut self) {
        self.labels.pop();
        self.line("}");
    }

    /// A block that has a label, in its braces.
    fn block(&mut self, block: &Block) -> Written {
        // A block that only returns needs no label.
        if let [Statement::Return { source }] = block.0.as_slice()
            && self.labels.is_empty()
        {
            let value = self.operand(source);
            self.line(&format!("Ok({value})"));
            self.ended = true;
            return Ok(());
        }
        self.labelled(block, |_| {})
    }

    /// A block with what is done where it comes to its end.
    fn labelled(&mut self, block: &Block, at_end: impl FnOnce(&mut Self)) -> Written {
        let label = self.next_label;
        self.next_label += 1;
        self.line(&format!("'b{label}: {{"));
        self.labels.push(label);
        let mut unset = self.unset.clone();
        self.statements(block)?;
        at_end(self);
        // Wherever the block was left, what it writes nowhere is as it was.
        for local in written(block) {
            unset.remove(&local);
        }
        self.unset = unset;
        self.labels.pop();
        self.line("}");
        Ok(())
    }

    fn statements(&mut self, block: &Block) -> Written {
        let mut statements = block.0.iter().peekable();
        while let Some(statement) = statements.next() {
            if let Statement::Call { target, function, arguments } = statement
                && self.shape.reads(*target) == 1
                && let Some(Statement::NotEqual {
                    left: Operand::Local(left),
                    right: Operand::Constant(Constant::Bool(false)),
                }) = statements.peek()
                && left == target
            {
                statements.next();
                self.question(function, arguments)?;
                continue;
            }
            if self.goes_within(statement, statements.peek().copied())? {
                continue;
            }
            self.statement(statement)?;
        }
        Ok(())
    }

    /// What is read by the next statement alone, for a field of it: `c.field(c.field(c.once(7, r8)?, 9), 10)`. Where it is undefined the
    /// field is, too, so that one look at the end is enough.
    fn goes_within(&mut self, statement: &Statement, next: Option<&Statement>) -> Result<bool, Unsupported> {
        let (Statement::Dot { target, .. } | Statement::Call { target, .. }) = statement else { return Ok(false) };
        let reads_it = matches!(next, Some(Statement::Dot { source: Operand::Local(source), key: Operand::Constant(_), .. }) if source == target);
        if !reads_it || self.shape.reads(*target) != 1 || self.shape.kind(*target) != Kind::Fixed {
            return Ok(false);
        }
        let value = match statement {
            Statement::Call { function, arguments, .. } => self.call(function, arguments)?,
            Statement::Dot { source, key, .. } => (self.dot(source, key), false),
            _ => return Ok(false),
        };
        self.within.insert(*target, value);
        Ok(true)
    }

    /// `source[key]` as an expression.
    fn dot(&mut self, source: &Operand, key: &Operand) -> String {
        let answer = match source {
            Operand::Local(local) => self.within.get(local).filter(|(_, answer)| *answer).map(|(call, _)| call.clone()),
            Operand::Constant(_) => None,
        };
        match (key, answer) {
            (Operand::Constant(Constant::String(text)), Some(answer)) => {
                format!("c.field_of({answer}, {})", self.constants.rank(text))
            }
            (Operand::Constant(Constant::String(text)), None) => {
                format!("c.field({}, {})", self.operand(source), self.constants.rank(text))
            }
            _ => format!("c.dot({}, {})", self.operand(source), self.operand(key)),
        }
    }

    /// Leaves the block.
    fn undefined(&self) -> String {
        self.leave(0).unwrap_or_default()
    }

    fn leave(&self, levels: usize) -> Option<String> {
        let open: Vec<usize> = self.labels.iter().copied().filter(|label| *label != usize::MAX).collect();
        let label = open.get(open.len().checked_sub(levels + 1)?)?;
        Some(format!("break 'b{label}"))
    }

    fn operand(&mut self, operand: &Operand) -> String {
        match operand {
            Operand::Local(local) => self.local(*local),
            Operand::Constant(constant) => self.constants.expression(constant),
        }
    }

    fn local(&self, local: Local) -> String {
        if let Some((value, is_answer)) = self.within.get(&local) {
            return if *is_answer { format!("compiled::value({value})") } else { value.clone() };
        }
        match (local, self.shape.kind(local)) {
            (INPUT, _) => "c.input()".to_owned(),
            (DATA, _) => "c.data()".to_owned(),
            (_, Kind::Builder) => format!("l{local}.read_in(c, {:?})?", self.rule.name),
            _ => format!("l{local}"),
        }
    }

    fn arguments(&mut self, operands: &[Operand]) -> String {
        operands.iter().map(|operand| self.operand(operand)).collect::<Vec<_>>().join(", ")
    }

    /// `target = value;`
    fn assign(&mut self, target: Local, value: &str) {
        self.unset.remove(&target);
        match self.shape.kind(target) {
            Kind::Builder => self.line(&format!("l{target} = Builder::Value({value});")),
            Kind::Variable => self.line(&format!("l{target} = {value};")),
            _ if self.shape.reads(target) == 0 => self.line(&format!("let _ = {value};")),
            _ => self.line(&format!("let l{target} = {value};")),
        }
    }

    /// The same, which leaves the block where the value is undefined.
    fn define(&mut self, target: Local, value: &str) {
        let leave = self.undefined();
        let kind = self.shape.kind(target);
        if kind == Kind::Builder || self.shape.reads(target) == 0 {
            self.line(&format!("let v = {value};"));
            self.line(&format!("if v.is_undefined() {{ {leave} }}"));
            if kind == Kind::Builder {
                self.line(&format!("l{target} = Builder::Value(v);"));
            }
            return;
        }
        self.assign(target, value);
        self.line(&format!("if l{target}.is_undefined() {{ {leave} }}"));
    }

    /// The same with an answer, of which an evaluation that has ended gives none.
    fn define_answer(&mut self, target: Local, answer: &str) {
        let leave = self.undefined();
        match self.shape.kind(target) {
            Kind::Variable => self.define(target, &format!("compiled::value({answer})")),
            Kind::Builder => {
                self.line(&format!("let Some(v) = compiled::defined({answer}) else {{ {leave} }};"));
                self.line(&format!("l{target} = Builder::Value(v);"));
            }
            _ if self.shape.reads(target) == 0 => {
                self.line(&format!("if compiled::defined({answer}).is_none() {{ {leave} }}"));
            }
            _ => self.line(&format!("let Some(l{target}) = compiled::defined({answer}) else {{ {leave} }};")),
        }
    }

    /// A call as an expression, and whether that is an answer or a value.
    fn call(&mut self, function: &str, operands: &[Operand]) -> Result<(String, bool), Unsupported> {
        let arguments = self.arguments(operands);
        if !function.starts_with("data.") {
            return Ok((format!("b::{}(c, &[{arguments}])", function.replace('.', "_")), true));
        }
        let Some(rule) = self.program.rule(function) else {
            return Err(self.unsupported(&format!("calls {function}, which there is not")));
        };
        let call = match (rule.constant, rule.place) {
            (Some(constant), _) => return Ok((self.constants.expression(constant), false)),
            (_, Some(place)) => format!("c.once({place}, r{})", rule.number),
            _ => match (rule.index, rule.call) {
                (Some(index), _) => format!("c.across({index}, r{}, {arguments})", rule.number),
                (None, Some(call)) => format!("c.again({call}, r{}, {arguments})", rule.number),
                (None, None) => format!("r{}(c, {arguments})", rule.number),
            },
        };
        Ok((call, true))
    }

    /// A call of which nothing matters but whether it holds.
    fn question(&mut self, function: &str, operands: &[Operand]) -> Written {
        let leave = self.undefined();
        let mut one = |index: usize| self.operand(&operands[index]);
        let plain = match function {
            "is_array" | "is_number" | "is_object" | "is_set" => Some(format!("{}.{function}()", one(0))),
            "is_string" => Some(format!("{}.is_text()", one(0))),
            "is_boolean" => Some(format!("{}.as_bool().is_some()", one(0))),
            "gt" => Some(format!("{}.gt({})", one(0), one(1))),
            "gte" => Some(format!("{}.gte({})", one(0), one(1))),
            "lt" => Some(format!("{}.lt({})", one(0), one(1))),
            "lte" => Some(format!("{}.lte({})", one(0), one(1))),
            _ => None,
        };
        let condition = match (plain, function) {
            (Some(condition), _) => condition,
            (None, "equal") => return self.compare(&operands[0], &operands[1], true),
            (None, "neq") => return self.compare(&operands[0], &operands[1], false),
            (None, _) if QUESTIONS.contains(&function) => {
                format!("matches!({}, Ok(V::True))", self.call(function, operands)?.0)
            }
            _ => match self.call(function, operands)? {
                (answer, true) => format!("compiled::holds({answer})"),
                (value, false) => format!("{value}.holds()"),
            },
        };
        self.line(&format!("if !{condition} {{ {leave} }}"));
        Ok(())
    }

    /// Leaves the block where two values are not equal, or where they are.
    fn compare(&mut self, left: &Operand, right: &Operand, equal: bool) -> Written {
        let (value, constant) = match (left, right) {
            (Operand::Constant(_), Operand::Local(_)) => (right, left),
            _ => (left, right),
        };
        let shown = self.operand(value);
        let condition = match constant {
            Operand::Constant(Constant::String(text)) => format!("{shown}.is_word({})", self.constants.place(text)),
            Operand::Constant(Constant::Bool(true)) => format!("matches!({shown}, V::True)"),
            Operand::Constant(Constant::Bool(false)) => format!("matches!({shown}, V::False)"),
            Operand::Constant(Constant::Null) => format!("matches!({shown}, V::Null)"),
            other => {
                let other = self.operand(other);
                format!("{shown}.equals({other})")
            }
        };
        let (not, leave) = (if equal { "!" } else { "" }, self.undefined());
        self.line(&format!("if {not}{condition} {{ {leave} }}"));
        Ok(())
    }

    fn condition(&mut self, holds: &str) {
        let leave = self.undefined();
        self.line(&format!("if !{holds} {{ {leave} }}"));
    }

    fn statement(&mut self, statement: &Statement) -> Written {
        match statement {
            Statement::Assign { target, source } => {
                let value = self.operand(source);
                self.assign(*target, &value);
            }
            Statement::AssignOnce { target, source } => {
                let (value, rule) = (self.operand(source), self.rule.name);
                match self.shape.kind(*target) {
                    Kind::Variable if self.unset.remove(target) => self.assign(*target, &value),
                    Kind::Variable => {
                        self.line(&format!("l{target} = compiled::once_only(c, l{target}, {value}, &{rule:?})?;"))
                    }
                    Kind::Fixed => self.assign(*target, &value),
                    _ => return Err(self.unsupported("assigns a collection once")),
                }
            }
            Statement::Reset { target } => match self.shape.kind(*target) {
                Kind::Builder => self.line(&format!("l{target} = Builder::UNDEFINED;")),
                Kind::Variable if self.unset.insert(*target) => self.line(&format!("l{target} = V::Undefined;")),
                Kind::Variable => {}
                _ => self.line(&format!("let l{target} = V::Undefined;")),
            },
            Statement::Call { target, function, arguments } => match self.call(function, arguments)? {
                (answer, true) => self.define_answer(*target, &answer),
                (constant, false) => self.assign(*target, &constant),
            },
            Statement::CallDynamic { target, path } => {
                let path = self.arguments(path);
                self.define_answer(*target, &format!("compiled::dynamic(c, RULES, &[{path}])"));
            }
            Statement::Dot { target, source, key } => {
                let value = self.dot(source, key);
                self.define(*target, &value);
            }
            Statement::Length { target, source } => {
                let source = self.operand(source);
                self.define(*target, &format!("compiled::length({source})"));
            }
            Statement::Scan { source, key, value, block } => self.scan(source, *key, *value, block)?,
            Statement::Not { block } => {
                let leave = self.undefined();
                self.labelled(block, |writer| writer.line(&format!("{leave};")))?;
            }
            Statement::Blocks(blocks) => {
                for block in blocks {
                    self.labelled(block, |_| {})?;
                }
            }
            Statement::Break(levels) => {
                let open = self.labels.iter().filter(|label| **label != usize::MAX).count();
                let target = open.checked_sub(*levels as usize + 1);
                if self.withs.last().is_some_and(|with| target.is_none_or(|target| target < *with)) {
                    return Err(self.unsupported("leaves a with"));
                }
                let leave =
                    self.leave(*levels as usize).ok_or_else(|| self.unsupported("leaves more blocks than are open"))?;
                self.line(&format!("{leave};"));
            }
            Statement::With { local, path, value, block } => self.with(*local, path, value, block)?,
            Statement::MakeArray { target } => self.make(*target, "array"),
            Statement::MakeObject { target } => self.make(*target, "object"),
            Statement::MakeSet { target } => self.make(*target, "set"),
            Statement::Append { array, value } => {
                let value = self.part(value);
                self.grow(*array, "append", None, value, true);
            }
            Statement::Insert { object, key, value } => {
                let (key, value) = (self.part(key), self.part(value));
                self.grow(*object, "insert", Some(key), value, false);
            }
            Statement::InsertOnce { object, key, value } => {
                let (key, value) = (self.operand(key), self.operand(value));
                self.line(&format!("l{object}.insert_once(c, {key}, {value});"));
            }
            Statement::Add { set, value } => {
                let value = self.operand(value);
                self.line(&format!("l{set}.add(c, {value});"));
            }
            Statement::Merge { target, first, second } => {
                let (first, second) = (self.local(*first), self.local(*second));
                self.define(*target, &format!("b::overlaid(c, {first}, {second})"));
            }
            Statement::Equal { left, right } => self.compare(left, right, true)?,
            Statement::NotEqual { left, right } => self.compare(left, right, false)?,
            Statement::IsArray { source } => {
                let source = self.operand(source);
                self.condition(&format!("{source}.is_array()"));
            }
            Statement::IsObject { source } => {
                let source = self.operand(source);
                self.condition(&format!("{source}.is_object()"));
            }
            Statement::IsSet { source } => {
                let source = self.operand(source);
                self.condition(&format!("{source}.is_set()"));
            }
            Statement::IsDefined { source } | Statement::IsUndefined { source } => {
                let undefined = match *source {
                    INPUT => "c.input().is_undefined()".to_owned(),
                    DATA => "c.data().is_undefined()".to_owned(),
                    local => format!("l{local}.is_undefined()"),
                };
                let defined = matches!(statement, Statement::IsDefined { .. });
                if defined || !self.unset.contains(source) {
                    let (not, leave) = (if defined { "" } else { "!" }, self.undefined());
                    self.line(&format!("if {not}{undefined} {{ {leave} }}"));
                }
                if !defined && self.shape.kind(*source) == Kind::Variable {
                    self.unset.insert(*source);
                }
            }
            Statement::Return { source } => {
                let value = self.operand(source);
                self.line(&format!("return Ok({value});"));
            }
        }
        Ok(())
    }

    fn make(&mut self, target: Local, what: &str) {
        if self.shape.kind(target) == Kind::Literal {
            self.literals.insert(target, Vec::new());
            if self.shape.parts(target) == 0 {
                self.literal(target, what == "array");
            }
        } else {
            self.line(&format!("l{target} = Builder::{what}(c);"));
        }
    }

    /// Part of a collection, as it is now.
    fn part(&mut self, operand: &Operand) -> String {
        let shown = self.operand(operand);
        match operand {
            Operand::Local(local)
                if matches!(self.shape.kind(*local), Kind::Variable | Kind::Builder) && *local > DATA =>
            {
                let name = format!("p{}", self.next_label);
                self.next_label += 1;
                self.line(&format!("let {name} = {shown};"));
                name
            }
            _ => shown,
        }
    }

    fn grow(&mut self, target: Local, how: &str, key: Option<String>, value: String, array: bool) {
        match self.literals.get_mut(&target) {
            Some(parts) => {
                parts.push((key.unwrap_or_default(), value));
                if parts.len() == self.shape.parts(target) {
                    self.literal(target, array);
                }
            }
            None => {
                let key = key.map_or_else(String::new, |key| format!("{key}, "));
                self.line(&format!("l{target}.{how}(c, {key}{value});"));
            }
        }
    }

    /// A collection of which all parts are known.
    fn literal(&mut self, target: Local, array: bool) {
        let mut parts = self.literals.remove(&target).unwrap_or_default();
        let value = if array {
            let parts: Vec<String> = parts.into_iter().map(|(_, value)| value).collect();
            format!("c.array(&[{}])", parts.join(", "))
        } else {
            // Keys are words, which are sorted as their places are: T(&W[7])
            let place = |key: &str| key.strip_prefix("T(&W[")?.strip_suffix("])")?.parse::<usize>().ok();
            parts.sort_by_key(|(key, _)| place(key));
            let ranks: Option<Vec<usize>> = parts.iter().map(|(key, _)| Some(place(key)? + 1)).collect();
            let parts: Vec<String> = parts.into_iter().map(|(key, value)| format!("({key}, {value})")).collect();
            match ranks {
                Some(ranks) if ranks.len() <= FEW => {
                    format!("c.literal(&[{}], {})", parts.join(", "), words::bits(ranks))
                }
                _ => format!("c.object(&[{}])", parts.join(", ")),
            }
        };
        self.assign(target, &value);
    }

    fn scan(&mut self, source: &Operand, key: Local, value: Local, block: &Block) -> Written {
        let source = self.operand(source);
        // What one round writes, the next one finds.
        for local in written(block).into_iter().chain([key, value]) {
            self.unset.remove(&local);
        }
        let name = |writer: &Self, local: Local| match (writer.shape.kind(local), writer.shape.reads(local)) {
            (Kind::Fixed, 0) => "_".to_owned(),
            (Kind::Fixed, _) => format!("l{local}"),
            _ => format!("s{local}"),
        };
        let (k, v) = (name(self, key), name(self, value));
        if k == "_" {
            self.open(&format!("for {v} in c.values({source}) {{"));
        } else {
            self.open(&format!("for ({k}, {v}) in c.entries({source}) {{"));
        }
        self.line("c.step()?;");
        for (local, name) in [(key, k), (value, v)] {
            if name.starts_with('s') {
                let value =
                    if self.shape.kind(local) == Kind::Builder { format!("Builder::Value({name})") } else { name };
                self.line(&format!("l{local} = {value};"));
            }
        }
        self.labelled(block, |_| {})?;
        self.close();
        Ok(())
    }

    fn with(&mut self, local: Local, path: &[String], value: &Operand, block: &Block) -> Written {
        let value = self.operand(value);
        let old = self.local(local);
        let new = if path.is_empty() {
            value
        } else {
            let keys: Vec<String> =
                path.iter().map(|key| self.constants.expression(&Constant::String(key.clone()))).collect();
            format!("c.upsert({old}, &[{}], {value})", keys.join(", "))
        };
        let (input, data) = match local {
            INPUT => (new, "c.data()".to_owned()),
            DATA => ("c.input()".to_owned(), new),
            _ => return Err(self.unsupported("replaces a local")),
        };
        let (leave, number) = (self.undefined(), self.next_label);
        self.line(&format!("let saved{number} = c.enter({input}, {data}, STEADY);"));
        self.line(&format!("let mut held{number} = false;"));
        self.withs.push(self.labels.iter().filter(|label| **label != usize::MAX).count());
        self.labelled(block, |writer| writer.line(&format!("held{number} = true;")))?;
        self.withs.pop();
        self.line(&format!("c.leave(saved{number});"));
        self.line(&format!("if !held{number} {{ {leave} }}"));
        Ok(())
    }
}
