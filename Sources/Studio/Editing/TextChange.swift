// TextChange: a reversible change of the bytes of a document.

/// The replacement of a range of bytes with other bytes.
struct TextChange: Sendable, Equatable {
    /// The effect of the change on the entries of `Pattern`.
    enum Effect: Sendable, Equatable {
        /// The change replaces the entry at an index.
        case entry(Int)
        /// The change inserts an entry at an index. The offset is the position of the entry in the
        /// new bytes.
        case insertion(Int, offset: Int, count: Int)
        /// The change removes the entry at an index. The offset is the position of the entry in the
        /// old bytes.
        case removal(Int, offset: Int, count: Int)
        /// The change has an unknown effect on the entries.
        case any
    }

    var effect: Effect
    /// The position of the first byte. The position is ignored for ``Effect/entry(_:)``, because
    /// the index of the entry determines the position.
    var position: Int
    var old: [UInt8]
    var new: [UInt8]

    /// The change that undoes this change.
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
    /// Adds a change. If an entry is changed repeatedly, each change is merged into the previous
    /// change of the entry, unless entries have been inserted or removed in the meantime.
    /// Therefore, a drag takes no more memory than a single move.
    mutating func add(_ change: TextChange) {
        guard case .entry(let index) = change.effect else { return append(change) }
        for position in indices.reversed() {
            guard case .entry(let other) = self[position].effect else { break }
            guard other == index else { continue }
            self[position].new = change.new
            return
        }
        append(change)
    }
}
