// Suggestion: suggests correct names for a mistyped word.

import JSONText

/// Returns a suggestion as text: the most similar name, or all names that begin with the word; nil
/// if no name is similar.
package func suggestion(for word: String, among names: [String]) -> String? {
    let longer = word.isEmpty ? [] : names.filter { $0.hasPrefix(word) }
    guard longer.isEmpty else {
        return "names that begin with \(word): " + longer.joined(separator: ", ")
    }
    return nearestName(to: word, among: names).map { "did you mean \($0)?" }
}
