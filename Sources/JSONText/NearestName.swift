// NearestName: finds the known name that the author of a misspelled word probably intended.

/// Returns the name that can be obtained from a word by changing the fewest letters; nil if no name
/// is similar enough.
package func nearestName(to word: String, among names: [String]) -> String? {
    let word = Array(word.unicodeScalars)
    let limit = max(1, word.count / 3)
    // Names whose length differs too much from the length of the word are skipped, because
    // comparing them with a very long word from a file would take too long.
    let distances = names.map { (name: $0, letters: Array($0.unicodeScalars)) }
        .filter { abs($0.letters.count - word.count) <= limit }
        .map { ($0.name, changes(from: word, to: $0.letters, limit: limit)) }
    return distances.filter { $0.1 <= limit }.min { $0.1 < $1.1 }?.0
}

/// Returns the minimum number of changes that turn a word into a name, or a number above the limit if
/// more changes are necessary. A change inserts, deletes or replaces a letter, or swaps two
/// neighboring letters.
private func changes(
    from word: [Unicode.Scalar], to name: [Unicode.Scalar], limit: Int
) -> Int {
    var beforeLast = [Int](repeating: 0, count: name.count + 1)
    var last = Array(0...name.count)
    var present = last
    for row in word.indices {
        present[0] = row + 1
        var fewest = min(last[0], present[0])
        for column in name.indices {
            let replaced = last[column] + (word[row] == name[column] ? 0 : 1)
            var least = min(replaced, last[column + 1] + 1, present[column] + 1)
            if row > 0, column > 0, word[row] == name[column - 1], word[row - 1] == name[column] {
                least = min(least, beforeLast[column - 1] + 1)
            }
            present[column + 1] = least
            fewest = min(fewest, least, last[column + 1])
        }
        // The numbers of the next rows are not below those of the last two rows.
        guard fewest <= limit else { return fewest }
        (beforeLast, last, present) = (last, present, beforeLast)
    }
    return last[name.count]
}
