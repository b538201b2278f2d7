// EditHistory: the changes of a document that can be undone and redone.

/// The steps that lead to the present text, and those that were undone.
struct EditHistory: Sendable {
    /// One step, with a number that no other step has.
    private struct Step: Sendable {
        let number: Int
        let changes: [TextChange]
    }

    private var done: [Step] = []
    private var undone: [Step] = []
    private var lastNumber = 0
    /// The number of the step after which the document was saved; nil if that cannot be reached.
    private var saved: Int? = 0

    /// True if there is a step to undo.
    var canUndo: Bool { !done.isEmpty }
    /// True if there is a step to redo.
    var canRedo: Bool { !undone.isEmpty }
    /// True if the text after the last step is the one that was saved.
    var isSaved: Bool { saved == (done.last?.number ?? 0) }

    /// Adds a step, after which nothing can be redone.
    mutating func add(_ changes: [TextChange]) {
        guard !changes.isEmpty else { return }
        lastNumber += 1
        done.append(Step(number: lastNumber, changes: changes))
        undone = []
    }

    /// Returns the changes that undo the last step, in the order in which they are made.
    mutating func undo() -> [TextChange]? {
        guard let step = done.popLast() else { return nil }
        undone.append(step)
        return step.changes.reversed().map(\.inverse)
    }

    /// Returns the changes of the step that was undone last.
    mutating func redo() -> [TextChange]? {
        guard let step = undone.popLast() else { return nil }
        done.append(step)
        return step.changes
    }

    /// Notes that the present text is the one in the file, or that no text of the history is.
    mutating func markSaved(_ isSaved: Bool = true) {
        saved = isSaved ? done.last?.number ?? 0 : nil
    }
}
