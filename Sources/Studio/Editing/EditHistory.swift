// EditHistory: the changes to a document that can be undone and redone.

/// The editing steps that led to the current text, and the steps that were undone.
struct EditHistory: Sendable {
    /// A step, identified by a unique number.
    private struct Step: Sendable {
        let number: Int
        let changes: [TextChange]
    }

    private var done: [Step] = []
    private var undone: [Step] = []
    private var lastNumber = 0
    /// The number of the step that led to the saved text; nil if the saved text is not part of the
    /// history.
    private var saved: Int? = 0

    /// True if there is a step to undo.
    var canUndo: Bool { !done.isEmpty }
    /// True if there is a step to redo.
    var canRedo: Bool { !undone.isEmpty }
    /// True if the text after the last step is the saved text.
    var isSaved: Bool { saved == (done.last?.number ?? 0) }

    /// Adds a step, and discards the undone steps.
    mutating func add(_ changes: [TextChange]) {
        guard !changes.isEmpty else { return }
        lastNumber += 1
        done.append(Step(number: lastNumber, changes: changes))
        undone = []
    }

    /// Moves the last step to the undone steps. Returns the changes that undo the step, in the
    /// order in which they must be applied.
    mutating func undo() -> [TextChange]? {
        guard let step = done.popLast() else { return nil }
        undone.append(step)
        return step.changes.reversed().map(\.inverse)
    }

    /// Moves the most recently undone step back to the history, and returns its changes.
    mutating func redo() -> [TextChange]? {
        guard let step = undone.popLast() else { return nil }
        done.append(step)
        return step.changes
    }

    /// Records that the file contains the current text. If `isSaved` is false, records that the
    /// file contains none of the texts in the history.
    mutating func markSaved(_ isSaved: Bool = true) {
        saved = isSaved ? done.last?.number ?? 0 : nil
    }
}
