// Suggestion: what was probably meant by a mistyped word, in words.

import AHAP

/// Returns a suggestion in words: the name that a mistyped one probably means, or all names that
/// begin with it; nil if there is none.
func suggestion(for word: String, among names: [String]) -> String? {
    let longer = word.isEmpty ? [] : names.filter { $0.hasPrefix(word) }
    guard longer.isEmpty else {
        return "names that begin with it: " + longer.joined(separator: ", ")
    }
    return nearestName(to: word, among: names).map { "did you mean \($0)?" }
}
