// TextChange: a change of a document's bytes that can be undone.

/// A stretch of bytes that is replaced by another one.
struct TextChange: Sendable, Equatable {
    /// The effect of the change on the entries of `Pattern`.
    enum Effect: Sendable, Equatable {
        /// It replaces the entry at an index by another one.
        case entry(Int)
        /// It inserts an entry at an index, which begins at an offset in the new bytes.
        case insertion(Int, offset: Int, count: Int)
        /// It removes the entry at an index, which began at an offset in the old bytes.
        case removal(Int, offset: Int, count: Int)
        /// It may do anything.
        case any
    }

    var effect: Effect
    /// The position of the first byte; of no meaning for an entry, whose place is known otherwise.
    var position: Int
    var old: [UInt8]
    var new: [UInt8]

    /// The change that takes this one back.
    var inverse: TextChange {
        let effect: Effect =
            switch effect {
            case .entry(let index): .entry(index)
            case .insertion(let index, let offset, let count):
                .removal(index, offset: offset, count: count)
            case .removal(let index, let offset, let count):
                .insertion(index, offset: offset, count: count)
            case .any: .any
            }
        return TextChange(effect: effect, position: position, old: new, new: old)
    }
}

extension [TextChange] {
    /// Adds a change. One of an entry that has been changed before becomes a part of that change,
    /// unless entries have come or gone since, so that a point that is dragged takes no more room
    /// than one that is moved once.
    mutating func add(_ change: TextChange) {
        guard case .entry(let index) = change.effect else { return append(change) }
        for place in indices.reversed() {
            guard case .entry(let other) = self[place].effect else { break }
            guard other == index else { continue }
            self[place].new = change.new
            return
        }
        append(change)
    }
}
