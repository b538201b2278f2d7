// NearestName: what somebody meant who mistyped a name.

/// The name that fewest changes lead to, letter by letter; nil if none is near enough to be meant.
func nearestName(to word: String, among names: [String]) -> String? {
    let limit = max(1, word.count / 3)
    let distances = names.map { ($0, changes(from: Array(word), to: Array($0))) }
    return distances.filter { $0.1 <= limit }.min { $0.1 < $1.1 }?.0
}

/// The name that was meant by a mistyped one, or all that begin with it, in words; nil if none.
func suggestion(for word: String, among names: [String]) -> String? {
    let longer = word.isEmpty ? [] : names.filter { $0.hasPrefix(word) }
    guard longer.isEmpty else {
        return "names that begin with it: " + longer.joined(separator: ", ")
    }
    return nearestName(to: word, among: names).map { "did you mean \($0)?" }
}

/// How many letters must be put in, left out, replaced, or exchanged with the next.
private func changes(from word: [Character], to name: [Character]) -> Int {
    var beforeLast = [Int](repeating: 0, count: name.count + 1)
    var last = Array(0...name.count)
    for row in word.indices {
        var present = [row + 1]
        for column in name.indices {
            let replaced = last[column] + (word[row] == name[column] ? 0 : 1)
            var least = min(replaced, last[column + 1] + 1, present[column] + 1)
            if row > 0, column > 0, word[row] == name[column - 1], word[row - 1] == name[column] {
                least = min(least, beforeLast[column - 1] + 1)
            }
            present.append(least)
        }
        (beforeLast, last) = (last, present)
    }
    return last[name.count]
}
