//! One evaluation: its memory, its documents, what it remembers, its limits.

use std::cell::Cell;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use bumpalo::Bump;
use rego_plan::words;

use crate::indexes::{Held, Indexes};
use crate::kept::Kept;
use crate::patterns::Patterns;
use crate::value::{Object, Value};
use crate::words::{Rank, Words};
use crate::{Answer, Ended, Limits, Number, Stop};

/// Steps between two looks at the clock.
const STEPS: u32 = 256;
/// An object that is made of this many entries has a table of their places, which costs as much as a few readings without.
const MANY: usize = 24;
/// Calls within calls; OPA refuses recursion, so only rules that were not made by it come here.
const DEPTH_MAX: u32 = 500;

/// What an evaluation reads and makes.
pub struct Context<'a> {
    arena: &'a Bump,
    words: &'static Words,
    patterns: Option<&'a Patterns>,
    indexes: Option<(&'a Indexes, &'a Held)>,
    extension: Option<&'a dyn Extension>,
    limits: Limits,
    input: Cell<Value<'a>>,
    data: Cell<Value<'a>>,
    remembered: Cell<&'a [Cell<Option<Value<'a>>>]>,
    /// What functions were given the last time, and what they gave.
    calls: Cell<&'a [Cell<(Value<'a>, Value<'a>)>]>,
    steps: Cell<u32>,
    depth: Cell<u32>,
    stopped: Cell<Option<Stop>>,
    conflict: Cell<Option<&'a str>>,
    now: Cell<Option<i64>>,
    /// Letters that were trimmed lately, and which of them are ASCII.
    letters: [Cell<(&'a str, [u64; 2])>; LETTERS],
    /// Where words were found in objects lately.
    places: [Cell<u16>; PLACES],
}

/// Sets of letters that are remembered.
const LETTERS: usize = 64;
/// Words whose places are remembered, by the last digits of their ranks.
const PLACES: usize = 1024;

/// A host that answers some rules itself. It is asked once for each `input`, that of a `with` included.
pub trait Extension {
    /// What the rule of a name gives (`data.walguard.own.findings`).
    ///
    /// # Errors
    /// When a limit is reached, or a rule of the host's has two values.
    fn rule<'a>(&'a self, context: &Context<'a>, rule: &str) -> Answer<'a>;
}

/// What a `with` puts back when it is over.
pub struct Saved<'a> {
    input: Value<'a>,
    data: Value<'a>,
    remembered: &'a [Cell<Option<Value<'a>>>],
    calls: &'a [Cell<(Value<'a>, Value<'a>)>],
}

impl<'a> Context<'a> {
    /// A new evaluation, with no input, and an empty object as `data`.
    #[must_use]
    pub fn new(arena: &'a Bump, words: &'static Words, limits: Limits) -> Self {
        Self {
            arena,
            words,
            patterns: None,
            indexes: None,
            extension: None,
            limits,
            input: Cell::new(Value::Undefined),
            data: Cell::new(Value::EMPTY_OBJECT),
            remembered: Cell::new(&[]),
            calls: Cell::new(&[]),
            steps: Cell::new(STEPS),
            depth: Cell::new(0),
            stopped: Cell::new(None),
            conflict: Cell::new(None),
            now: Cell::new(None),
            letters: [const { Cell::new(("", [0; 2])) }; LETTERS],
            places: [const { Cell::new(0) }; PLACES],
        }
    }

    /// Shares compiled regular expressions with other evaluations.
    #[must_use]
    pub const fn with_patterns(mut self, patterns: &'a Patterns) -> Self {
        self.patterns = Some(patterns);
        self
    }

    /// Shares with other evaluations what functions gave for objects that outlive them.
    #[must_use]
    pub const fn with_indexes(mut self, indexes: &'a Indexes, held: &'a Held) -> Self {
        self.indexes = Some((indexes, held));
        self
    }

    /// Answers the rules that are left to the host.
    #[must_use]
    pub fn with_extension(mut self, extension: &'a dyn Extension) -> Self {
        self.extension = Some(extension);
        self
    }

    /// What the host has for a rule that is left to it, or the value that the rules give.
    ///
    /// # Errors
    /// Those of the host.
    pub fn extended(&self, rule: &str, value: Value<'a>) -> Answer<'a> {
        match self.extension {
            Some(extension) => extension.rule(self, rule),
            None => Ok(value),
        }
    }

    /// Has room for what this many rules give, and for the last call of this many functions.
    #[must_use]
    pub fn with_memory_of(self, rules: usize, functions: usize) -> Self {
        self.remembered.set(self.empty_memory(rules));
        self.calls.set(self.no_calls(functions));
        self
    }

    fn no_calls(&self, functions: usize) -> &'a [Cell<(Value<'a>, Value<'a>)>] {
        self.arena.alloc_slice_fill_with(functions, |_| Cell::new((Value::Undefined, Value::Undefined)))
    }

    fn empty_memory(&self, rules: usize) -> &'a [Cell<Option<Value<'a>>>] {
        self.arena.alloc_slice_fill_with(rules, |_| Cell::new(None))
    }

    #[must_use]
    pub const fn arena(&self) -> &'a Bump {
        self.arena
    }

    #[must_use]
    pub const fn words(&self) -> &'static Words {
        self.words
    }

    pub(crate) const fn patterns(&self) -> Option<&'a Patterns> {
        self.patterns
    }

    pub(crate) const fn indexes(&self) -> Option<(&'a Indexes, &'a Held)> {
        self.indexes
    }

    /// Where letters to trim are remembered. What rules trim stands in the program, each text at an address of its own.
    pub(crate) fn letters(&self, letters: &'a str) -> &Cell<(&'a str, [u64; 2])> {
        &self.letters[letters.as_ptr().addr() / 16 % LETTERS]
    }

    /// Where a word was found in an object the last time.
    #[inline]
    pub(crate) const fn place(&self, word: Rank) -> &Cell<u16> {
        &self.places[word as usize % PLACES]
    }

    /// The document `input`.
    #[must_use]
    pub fn input(&self) -> Value<'a> {
        self.input.get()
    }

    pub fn set_input(&self, input: Value<'a>) {
        self.input.set(input);
    }

    /// The document `data`, as far as it is given and not made by rules.
    #[must_use]
    pub fn data(&self) -> Value<'a> {
        self.data.get()
    }

    pub fn set_data(&self, data: Value<'a>) {
        self.data.set(data);
    }

    /// What a rule without parameters gave before.
    #[must_use]
    pub fn remembered(&self, slot: usize) -> Option<Value<'a>> {
        self.remembered.get()[slot].get()
    }

    /// Keeps what a rule without parameters gives.
    pub fn remember(&self, slot: usize, value: Value<'a>) {
        self.remembered.get()[slot].set(Some(value));
    }

    /// Begins a `with` on `input` or `data`: what rules gave is forgotten, except that of the first `steady` ones, which
    /// depend on neither.
    #[must_use]
    pub fn enter(&self, input: Value<'a>, data: Value<'a>, steady: usize) -> Saved<'a> {
        let saved = Saved {
            input: self.input.get(),
            data: self.data.get(),
            remembered: self.remembered.get(),
            calls: self.calls.get(),
        };
        let fresh = self.empty_memory(saved.remembered.len());
        for (new, old) in fresh.iter().zip(saved.remembered).take(steady) {
            new.set(old.get());
        }
        self.input.set(input);
        self.data.set(data);
        self.remembered.set(fresh);
        self.calls.set(self.no_calls(saved.calls.len()));
        saved
    }

    /// Ends a `with`.
    pub fn leave(&self, saved: Saved<'a>) {
        self.input.set(saved.input);
        self.data.set(saved.data);
        self.remembered.set(saved.remembered);
        self.calls.set(saved.calls);
    }

    /// The last call of a function: its argument, undefined where there was none, and what it gave.
    #[inline]
    pub(crate) fn call(&self, place: usize) -> &'a Cell<(Value<'a>, Value<'a>)> {
        &self.calls.get()[place]
    }

    /// A step of a loop: now and then it looks at the limits.
    ///
    /// # Errors
    /// When one of them is reached.
    #[inline]
    pub fn step(&self) -> Result<(), Ended> {
        match self.steps.get().checked_sub(1) {
            Some(left) => {
                self.steps.set(left);
                Ok(())
            }
            None => self.look(),
        }
    }

    #[cold]
    fn look(&self) -> Result<(), Ended> {
        self.goes_on()?;
        self.steps.set(STEPS);
        if self.limits.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(self.end(Stop::Deadline));
        }
        self.afford(0)
    }

    /// Before something large is made, of about so many bytes.
    ///
    /// # Errors
    /// When the memory does not allow it.
    pub fn afford(&self, bytes: usize) -> Result<(), Ended> {
        match self.limits.memory {
            Some(limit) if self.arena.allocated_bytes().saturating_add(bytes) > limit => Err(self.end(Stop::Memory)),
            _ => Ok(()),
        }
    }

    /// Runs a function of rules that were not compiled, unless they call one another too deeply.
    pub(crate) fn nested(&self, run: impl FnOnce() -> Answer<'a>) -> Answer<'a> {
        if self.depth.get() >= DEPTH_MAX {
            return Err(self.end(Stop::Depth));
        }
        self.depth.set(self.depth.get() + 1);
        let answer = run();
        self.depth.set(self.depth.get() - 1);
        answer
    }

    /// Whether the evaluation goes on.
    ///
    /// # Errors
    /// When it has ended.
    #[inline]
    pub(crate) fn goes_on(&self) -> Result<(), Ended> {
        if self.stopped.get().is_none() { Ok(()) } else { Err(Ended) }
    }

    /// Ends the evaluation, and keeps why; of several reasons the first. The next step of every loop finds it ended.
    #[cold]
    #[must_use]
    pub fn end(&self, stop: Stop) -> Ended {
        if self.stopped.get().is_none() {
            self.stopped.set(Some(stop));
            self.steps.set(0);
        }
        Ended
    }

    /// Why the evaluation ended, when it ended early.
    #[must_use]
    pub fn stopped(&self) -> Option<Stop> {
        self.stopped.get()
    }

    /// Two values where a rule can have one.
    #[cold]
    #[must_use]
    pub fn conflict(&self, rule: &'a str) -> Ended {
        let ended = self.end(Stop::Conflict);
        if self.conflict.get().is_none() && self.stopped.get() == Some(Stop::Conflict) {
            self.conflict.set(Some(rule));
        }
        ended
    }

    /// Notes in which rule a conflict was, where that is not known yet.
    #[cold]
    #[must_use]
    pub fn within(&self, rule: &'a str, ended: Ended) -> Ended {
        if self.stopped.get() == Some(Stop::Conflict) { self.conflict(rule) } else { ended }
    }

    /// The rule that has more than one value, when that ended the evaluation.
    #[must_use]
    pub fn conflict_in(&self) -> Option<&'a str> {
        self.conflict.get()
    }

    /// Nanoseconds since 1970, the same throughout the evaluation.
    #[must_use]
    pub fn now(&self) -> i64 {
        if let Some(now) = self.now.get() {
            return now;
        }
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let now = i64::try_from(since.as_nanos()).unwrap_or(i64::MAX);
        self.now.set(Some(now));
        now
    }

    /// A text. It is copied, unless it is a word of the program.
    #[must_use]
    pub fn text(&self, text: &str) -> Value<'a> {
        if let Some(word) = self.words.word(text) {
            return Value::Word(word);
        }
        let text: &'a str = self.arena.alloc_str(text);
        Value::Text(self.arena.alloc(text))
    }

    /// A text that lives as long as the evaluation.
    #[must_use]
    pub fn text_of(&self, text: &'a str) -> Value<'a> {
        self.words.word(text).map_or_else(|| Value::Text(self.arena.alloc(text)), Value::Word)
    }

    /// A word of the program.
    #[must_use]
    pub fn word(&self, rank: Rank) -> Value<'a> {
        Value::Word(self.words.text(rank))
    }

    /// An array.
    #[must_use]
    pub fn array(&self, elements: &[Value<'a>]) -> Value<'a> {
        self.array_of(self.arena.alloc_slice_copy(elements))
    }

    /// An array of elements that are in the arena.
    #[must_use]
    pub fn array_of(&self, elements: &'a [Value<'a>]) -> Value<'a> {
        Value::Array(self.arena.alloc(elements))
    }

    /// An object of entries that are in the arena, sorted and without doubles.
    #[must_use]
    pub fn object_of(&self, entries: &'a [(Value<'a>, Value<'a>)]) -> Value<'a> {
        let bits = if entries.len() < MANY { words::bits(self.ranks(entries)) } else { 0 };
        self.object_with(entries, bits)
    }

    /// The same of entries whose words have no other bits than these.
    #[must_use]
    pub(crate) fn object_with(&self, entries: &'a [(Value<'a>, Value<'a>)], bits: u64) -> Value<'a> {
        let object = if entries.len() < MANY {
            Object::new(entries, bits, &[])
        } else {
            let places = self.arena.alloc_slice_fill_copy(words::slots(entries.len()), 0);
            words::places(self.ranks(entries), places);
            // So many words leave few bits out.
            Object::new(entries, u64::MAX, places)
        };
        Value::Object(self.arena.alloc(object))
    }

    fn ranks(&self, entries: &'a [(Value<'a>, Value<'a>)]) -> impl Iterator<Item = usize> {
        entries.iter().map(|(key, _)| match key {
            Value::Word(word) => self.words.rank_of(word) as usize,
            _ => 0,
        })
    }

    /// An object of entries that are sorted and without doubles.
    #[must_use]
    pub fn object(&self, entries: &[(Value<'a>, Value<'a>)]) -> Value<'a> {
        self.object_of(self.arena.alloc_slice_copy(entries))
    }

    /// The same, of a few whose keys are words that are known; see [`Object::new`].
    #[must_use]
    pub fn literal(&self, entries: &[(Value<'a>, Value<'a>)], words: u64) -> Value<'a> {
        Value::Object(self.arena.alloc(Object::new(self.arena.alloc_slice_copy(entries), words, &[])))
    }

    /// A set of elements that are in the arena, sorted and without doubles.
    #[must_use]
    pub fn set_of(&self, elements: &'a [Value<'a>]) -> Value<'a> {
        Value::Set(self.arena.alloc(elements))
    }

    /// A kept value in this evaluation: collections stay where they are.
    #[must_use]
    pub fn of_kept(&self, kept: &'a Kept) -> Value<'a> {
        match kept {
            Kept::Undefined => Value::Undefined,
            Kept::Null => Value::Null,
            Kept::Bool(truth) => Value::from(*truth),
            Kept::Int(int) => Value::Int(*int),
            Kept::Number(text) => Value::Number(self.arena.alloc(Number::of(text))),
            Kept::String(text) => self.text_of(text),
            Kept::Array(_) | Kept::Object(_) => Value::Kept(kept),
        }
    }

    /// The same with everything in it, for what rules read all of.
    #[must_use]
    pub fn unfolded(&self, kept: &'a Kept) -> Value<'a> {
        match kept {
            Kept::Array(elements) => {
                let elements = elements.iter().map(|element| self.unfolded(element));
                self.array_of(self.arena.alloc_slice_fill_iter(elements))
            }
            Kept::Object(fields) => {
                let entries = fields.0.iter().map(|(name, value)| (self.text_of(name), self.unfolded(value)));
                self.object_of(self.arena.alloc_slice_fill_iter(entries))
            }
            _ => self.of_kept(kept),
        }
    }

    /// A value that outlives this evaluation. A set becomes an array, and a key that is no text its JSON.
    #[must_use]
    pub fn keep(&self, value: Value<'a>) -> Kept {
        value.keep()
    }
}

impl Value<'_> {
    /// A value that outlives its evaluation, where it is the same then: where it holds no set, and no key that is no text.
    #[must_use]
    pub fn kept_as_it_is(self) -> Option<Kept> {
        self.has_json_only().then(|| self.keep())
    }

    fn has_json_only(self) -> bool {
        match self {
            Self::Set(_) => false,
            Self::Array(elements) => elements.iter().all(|element| element.has_json_only()),
            Self::Object(entries) => entries.iter().all(|(key, value)| key.is_text() && value.has_json_only()),
            _ => true,
        }
    }

    /// A value that outlives its evaluation. A set becomes an array, and a key that is no text its JSON.
    #[must_use]
    pub fn keep(self) -> Kept {
        match self {
            Self::Undefined => Kept::Undefined,
            Self::Null => Kept::Null,
            Self::False => Kept::Bool(false),
            Self::True => Kept::Bool(true),
            Self::Int(int) => Kept::Int(int),
            Self::Number(number) => Kept::Number(number.text().into()),
            Self::Word(text) => Kept::String((*text).into()),
            Self::Text(text) => Kept::String((*text).into()),
            Self::Array(elements) | Self::Set(elements) => {
                elements.iter().map(|element| element.keep()).collect::<Vec<_>>().into()
            }
            Self::Object(entries) => {
                let name = |key: &Value<'_>| key.as_text().map_or_else(|| key.to_json(), str::to_owned);
                let fields = entries.iter().map(|(key, value)| (name(key).into(), value.keep()));
                Kept::Object(std::sync::Arc::new(fields.collect()))
            }
            Self::Kept(kept) => kept.clone(),
        }
    }
}
