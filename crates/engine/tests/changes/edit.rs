//! A change of a review, as a line of text: `drop /object/spec/instances`, `update set /object/spec/instances 2`.

use std::fmt;

use serde_json::{Map, Value as Json, json};

use crate::corpus::Review;

/// Which review the changed object is in.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Form {
    /// The same.
    Plain,
    /// An UPDATE of the unchanged object to the changed one.
    Update,
    /// An UPDATE of the changed object to the unchanged one.
    Back,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Edit {
    /// Nothing else than the form.
    None,
    Drop,
    Set(Json),
    /// A member more at the end of a list.
    Add(Json),
    /// The first member of a list once more.
    Repeat,
    Reverse,
    /// A line of a text, from 1.
    Line(usize, String),
    Cut(usize),
    Insert(usize, String),
}

#[derive(Clone, PartialEq, Debug)]
pub struct Change {
    pub form: Form,
    pub path: String,
    pub edit: Edit,
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.form {
            Form::Plain => "",
            Form::Update => "update ",
            Form::Back => "back ",
        })?;
        let path = &self.path;
        match &self.edit {
            Edit::None => f.write_str("nothing"),
            Edit::Drop => write!(f, "drop {path}"),
            Edit::Set(value) => write!(f, "set {path} {value}"),
            Edit::Add(value) => write!(f, "add {path} {value}"),
            Edit::Repeat => write!(f, "repeat {path}"),
            Edit::Reverse => write!(f, "reverse {path}"),
            Edit::Line(line, text) => write!(f, "line {path} {line} {}", json!(text)),
            Edit::Cut(line) => write!(f, "cut {path} {line}"),
            Edit::Insert(line, text) => write!(f, "insert {path} {line} {}", json!(text)),
        }
    }
}

impl Change {
    pub fn read(text: &str) -> Option<Self> {
        let (form, rest) = match text.split_once(' ') {
            Some(("update", rest)) => (Form::Update, rest),
            Some(("back", rest)) => (Form::Back, rest),
            _ => (Form::Plain, text),
        };
        // A key with a blank in it is written as a JSON string would be: there is none in a manifest here.
        let mut words = rest.splitn(3, ' ');
        let (verb, path, value) = (words.next()?, words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let at_line = || {
            value.split_once(' ').and_then(|(line, text)| Some((line.parse().ok()?, serde_json::from_str(text).ok()?)))
        };
        let edit = match verb {
            "nothing" => Edit::None,
            "drop" => Edit::Drop,
            "set" => Edit::Set(serde_json::from_str(value).ok()?),
            "add" => Edit::Add(serde_json::from_str(value).ok()?),
            "repeat" => Edit::Repeat,
            "reverse" => Edit::Reverse,
            "line" => at_line().map(|(line, text)| Edit::Line(line, text))?,
            "insert" => at_line().map(|(line, text)| Edit::Insert(line, text))?,
            "cut" => Edit::Cut(value.parse().ok()?),
            _ => return None,
        };
        Some(Self { form, path: path.to_owned(), edit })
    }

    /// The review with the change; nothing where it has no place in it.
    pub fn applied(&self, review: &Review) -> Option<Review> {
        let mut changed = review.clone();
        let original = review.request["object"].clone();
        if self.form != Form::Plain && !review.request["oldObject"].is_null() {
            return None;
        }
        let (top, path) = self.path.get(1..).unwrap_or_default().split_once('/').map_or_else(
            || (self.path.get(1..).unwrap_or_default(), String::new()),
            |(top, rest)| (top, format!("/{rest}")),
        );
        match top {
            "among" => {
                let mut among = Json::Array(changed.among);
                self.edit.apply(&mut among, &path)?;
                let Json::Array(rest) = among else { return None };
                changed.among = rest;
            }
            "parameters" => self.edit.apply_whole(&mut changed.policy, &path)?,
            "now" => {
                let Edit::Set(Json::String(now)) = &self.edit else { return None };
                changed.now = now.clone();
            }
            "complete" => {
                let Edit::Set(Json::Bool(complete)) = self.edit else { return None };
                changed.complete = complete;
            }
            _ => self.edit.apply(&mut changed.request, &self.path)?,
        }
        match self.form {
            Form::Plain => {}
            Form::Update => changed.request["oldObject"] = original,
            Form::Back => changed.request["oldObject"] = std::mem::replace(&mut changed.request["object"], original),
        }
        if self.form != Form::Plain {
            changed.request["operation"] = "UPDATE".into();
        }
        Some(changed)
    }
}

impl Edit {
    fn apply_whole(&self, root: &mut Json, path: &str) -> Option<()> {
        match (self, path) {
            (Self::Set(value), "") => *root = value.clone(),
            _ => self.apply(root, path)?,
        }
        Some(())
    }

    fn apply(&self, root: &mut Json, path: &str) -> Option<()> {
        if let Self::None = self {
            return Some(());
        }
        let (above, key) = path.rsplit_once('/')?;
        let key = key.replace("~1", "/").replace("~0", "~");
        if let Self::Drop | Self::Set(_) = self {
            match (root.pointer_mut(above)?, self) {
                (Json::Object(fields), Self::Set(value)) => drop(fields.insert(key, value.clone())),
                (Json::Object(fields), _) => drop(fields.remove(&key)?),
                (Json::Array(members), Self::Set(value)) => {
                    *members.get_mut(key.parse::<usize>().ok()?)? = value.clone()
                }
                (Json::Array(members), _) => {
                    let at = key.parse().ok().filter(|at| *at < members.len())?;
                    members.remove(at);
                }
                _ => return None,
            }
            return Some(());
        }
        let place = root.pointer_mut(path)?;
        match (self, place) {
            (Self::Add(value), Json::Array(members)) => members.push(value.clone()),
            (Self::Repeat, Json::Array(members)) => members.push(members.first()?.clone()),
            (Self::Reverse, Json::Array(members)) => members.reverse(),
            (Self::Line(at, text), Json::String(whole)) => *whole = edited(whole, *at, Some(text), true)?,
            (Self::Cut(at), Json::String(whole)) => *whole = edited(whole, *at, None, true)?,
            (Self::Insert(at, text), Json::String(whole)) => *whole = edited(whole, *at, Some(text), false)?,
            _ => return None,
        }
        Some(())
    }
}

/// A text with a line, from 1, replaced by another or by none, or with another before it.
fn edited(whole: &str, at: usize, text: Option<&str>, replace: bool) -> Option<String> {
    let mut lines: Vec<&str> = whole.split('\n').collect();
    let at = at.checked_sub(1).filter(|at| *at < lines.len())?;
    match (text, replace) {
        (Some(text), true) => lines[at] = text,
        (None, _) => drop(lines.remove(at)),
        (Some(text), false) => lines.insert(at, text),
    }
    Some(lines.join("\n"))
}

/// A key of a pointer.
pub fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// Calls visit with every place below a value, and its pointer.
pub fn walk<'v>(value: &'v Json, path: &mut String, visit: &mut impl FnMut(&str, &'v Json)) {
    visit(path, value);
    let length = path.len();
    let mut below = |key: &str, member: &'v Json, path: &mut String| {
        path.push('/');
        path.push_str(&escaped(key));
        walk(member, path, visit);
        path.truncate(length);
    };
    match value {
        Json::Object(fields) => fields.iter().for_each(|(key, member)| below(key, member, path)),
        Json::Array(members) => {
            members.iter().enumerate().for_each(|(at, member)| below(&at.to_string(), member, path))
        }
        _ => {}
    }
}

pub fn one(key: &str, value: Json) -> Json {
    Json::Object(Map::from_iter([(key.to_owned(), value)]))
}
