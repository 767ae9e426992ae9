# METADATA
# description: Names that a misspelt one was perhaps meant to be, by the letter triples (trigrams) in common.
package walguard.postgres.similar

# METADATA
# description: |
#   Those keys of an object that are worth a comparison with a name: the same first letter, the same end, or a word in common.
#   None for a name longer than 63 letters, which nobody meant.
sieve(name, object) := (same_start | same_end) | same_word if {
	count(name) > 1
	count(name) < 64
	first := substring(name, 0, 1)
	same_start := {key | some key, _ in object; startswith(key, first)}
	end := substring(name, max([0, count(name) - 5]), -1)
	same_end := {key | some key, _ in object; endswith(key, end)}
	same_word := {key |
		some word in split(name, "_")
		count(word) > 2
		some key, _ in object
		contains(key, word)
	}
}

# METADATA
# description: |
#   The candidates that are at least 40 % alike, the best first. A candidate with the same letters in another order, or that
#   differs in underscores only, is wholly alike.
ranked(name, candidates) := [pair[1] | some pair in sort(ranking)] if {
	triples := trigrams(name)
	letters := sorted_letters(name)
	ranking := {[0 - score, candidate] |
		some candidate in candidates
		score := likeness(triples, letters, candidate)
		score >= 400
	}
}

# METADATA
# description: The one candidate that is at least 70 % alike, and no other nearly as much. Undefined where there is none.
evident(name, candidates) := best[1] if {
	triples := trigrams(name)
	letters := sorted_letters(name)
	ranking := sort({[0 - likeness(triples, letters, candidate), candidate] | some candidate in candidates})
	best := ranking[0]
	best[0] <= -700
	every other in array.slice(ranking, 1, count(ranking)) {
		other[0] >= best[0] + 150
	}
}

likeness(_, letters, candidate) := 1000 if sorted_letters(candidate) == letters

likeness(triples, letters, candidate) := shared(triples, trigrams(candidate)) if sorted_letters(candidate) != letters

sorted_letters(name) := sort(split(replace(name, "_", ""), ""))

trigrams(name) := {substring(padded, start, 3) | some start in numbers.range(0, count(padded) - 3)} if padded := concat("", ["  ", name, " "])

# Dice's coefficient, per mille.
shared(some_triples, other_triples) := (doubled - (doubled % total)) / total if {
	doubled := 2000 * count(some_triples & other_triples)
	total := count(some_triples) + count(other_triples)
}
