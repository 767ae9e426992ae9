//! What functions gave for objects that outlive an evaluation.
//!
//! A review asks the same of the same inventory as the one before it: which of ten thousand backups belong to a cluster. A function that reads
//! nothing but its argument need not look again while that is the same object in memory, and what changes an inventory copies what is on its
//! path, so that the rest stays the same.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use crate::kept::{Fields, Kept};

/// Entries below which nobody looks for those whose argument is gone.
const FEW: usize = 256;

/// What functions gave, by function and argument. Shared by threads.
#[derive(Debug, Default)]
pub struct Indexes(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// By the number of the function and the address of the argument. An address is not used again while an entry refers to it.
    known: HashMap<(usize, usize), Known>,
    /// How many entries there may be before those of arguments that are gone are removed.
    room: usize,
}

#[derive(Debug)]
struct Known {
    argument: Weak<Fields>,
    gave: Kept,
}

/// Owns what an evaluation was given from [`Indexes`], which others may forget meanwhile.
#[derive(Default)]
pub struct Held(typed_arena::Arena<Kept>);

impl Held {
    pub(crate) fn hold(&self, kept: Kept) -> &Kept {
        self.0.alloc(kept)
    }
}

impl Indexes {
    /// What a function gave for an argument.
    pub(crate) fn get(&self, function: usize, argument: &Arc<Fields>) -> Option<Kept> {
        self.with(|state| state.known.get(&key(function, argument)).map(|known| known.gave.clone()))
    }

    /// Keeps what a function gives for an argument, as long as somebody has that.
    pub(crate) fn put(&self, function: usize, argument: &Arc<Fields>, gave: Kept) {
        self.with(|state| {
            if state.known.len() >= state.room {
                state.known.retain(|_, known| known.argument.strong_count() > 0);
                state.room = (2 * state.known.len()).max(FEW);
            }
            state.known.insert(key(function, argument), Known { argument: Arc::downgrade(argument), gave });
        });
    }

    /// Nobody panics while the lock is held.
    fn with<T>(&self, run: impl FnOnce(&mut State) -> T) -> T {
        run(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn key(function: usize, argument: &Arc<Fields>) -> (usize, usize) {
    (function, Arc::as_ptr(argument).addr())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(kept: &mut Kept) -> Arc<Fields> {
        match kept {
            Kept::Object(fields) => fields.clone(),
            _ => Arc::default(),
        }
    }

    #[test]
    fn what_was_given_is_known_while_its_argument_is_the_same() {
        let indexes = Indexes::default();
        let mut object = Kept::object([("a", Kept::from(1))]);
        indexes.put(0, &fields(&mut object), "of a".into());
        assert_eq!(indexes.get(0, &fields(&mut object)), Some("of a".into()));
        assert_eq!(indexes.get(1, &fields(&mut object)), None);

        // Who changes it has another one, also where nobody else had the first.
        if let Ok(own) = object.as_object_mut() {
            own.insert("b".into(), Kept::from(2));
        }
        assert_eq!(indexes.get(0, &fields(&mut object)), None);
    }

    #[test]
    fn what_nobody_has_is_forgotten() {
        let indexes = Indexes::default();
        let mut stays = Kept::new_object();
        indexes.put(0, &fields(&mut stays), "stays".into());
        for _ in 0..10 * FEW {
            indexes.put(0, &Arc::default(), Kept::Null);
        }
        assert!(indexes.with(|state| state.known.len()) <= FEW);
        assert_eq!(indexes.get(0, &fields(&mut stays)), Some("stays".into()));
    }
}
