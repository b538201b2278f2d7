// StudioDocument: an AHAP file that is being edited.

import AHAP
import HapticPatterns
import JSONText

/// The bytes of an AHAP file, the pattern that they describe, and the history of edits.
///
/// An edit changes only the bytes of the edited values. After an edit within one entry, only that
/// entry is parsed again.
struct StudioDocument: Sendable {
    /// The bytes of the file.
    private(set) var bytes: [UInt8]
    /// The number of the version, which increases with every change.
    private(set) var revision = 0
    /// The pattern that the text describes; nil if the text cannot be read.
    private(set) var pattern: HapticPattern?
    /// The interval that the last change affects; nil if the change affects nothing or if the
    /// interval is unknown.
    private(set) var lastChange: ChangedRange?

    private var ranges: JSONElements?
    private var entries: [PatternEntry] = []
    private var history = EditHistory()
    /// The changes of the current drag, which are not yet part of the history.
    private var pending: [TextChange] = []

    /// The key of the list of entries.
    private static let pattern = "Pattern"

    /// Opens a text, even if it cannot be read as AHAP.
    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        read()
    }

    /// True if there is a step to undo.
    var canUndo: Bool { history.canUndo }
    /// True if there is a step to redo.
    var canRedo: Bool { history.canRedo }
    /// True if the file contains the current text.
    var isSaved: Bool { pending.isEmpty && history.isSaved }

    /// Records whether the file contains the current text.
    mutating func markSaved(_ isSaved: Bool = true) {
        commit()
        history.markSaved(isSaved)
    }

    // MARK: Reading

    private mutating func read() {
        ranges = nil
        entries = []
        pattern = nil
        do {
            let pattern = try AHAPReader.read(bytes).pattern
            ranges = JSONElements(of: Self.pattern, in: bytes)
            entries = PatternEntry.entries(of: pattern, count: ranges?.elements.count ?? 0)
            self.pattern = pattern
        } catch  where error.rule == .missingPattern {
            // A file without entries is valid, because a new pattern starts without entries.
            ranges = JSONElements(of: Self.pattern, in: bytes)
            guard let ranges else { return }
            entries = ranges.elements.map { _ in PatternEntry() }
            pattern = HapticPattern()
        } catch {
            return
        }
    }

    /// Combines the entries into the pattern.
    private mutating func assemble() {
        pattern = HapticPattern(
            events: entries.flatMap(\.events), parameters: entries.flatMap(\.parameters),
            curves: entries.flatMap(\.curves))
    }

    // MARK: Editing

    /// Applies several edits in order. If an edit fails, no edit is applied.
    ///
    /// - Parameter isLive: true if the edits belong to a drag that continues. Live edits become a
    ///   single step of the history, together with all following edits up to and including the
    ///   first edits that are not live.
    /// - Throws: `StudioError` if an edit cannot be applied, or if the text would no longer be
    ///   readable after the edit.
    mutating func edit(_ edits: [StudioEdit], isLive: Bool) throws(StudioError) {
        guard pattern != nil else {
            throw StudioError(
                "the text cannot be read as AHAP and therefore cannot be edited here",
                advice: "correct the text with a text editor; the list of errors shows the "
                    + "locations")
        }
        let before = lastChange
        lastChange = nil
        var made: [TextChange] = []
        do {
            for edit in edits { made.append(try make(edit.edit)) }
        } catch {
            for change in made.reversed() { try? apply(change.inverse) }
            lastChange = before
            throw error
        }
        for change in made { pending.add(change) }
        assemble()
        if !isLive { commit() }
        revision += 1
    }

    /// Ends a drag. The changes of the drag become one step of the history.
    mutating func commit() {
        history.add(pending.filter { $0.old != $0.new })
        pending = []
    }

    /// Undoes the last step. Returns false if no step can be undone.
    mutating func undo() -> Bool {
        commit()
        return history.undo().map { perform($0) } != nil
    }

    /// Redoes the most recently undone step. Returns false if no step can be redone.
    mutating func redo() -> Bool {
        commit()
        return history.redo().map { perform($0) } != nil
    }

    /// Replaces the text with another text, as one step of the history.
    mutating func replace(with other: [UInt8]) {
        commit()
        guard other != bytes else { return }
        let start = zip(bytes, other).prefix { $0 == $1 }.count
        let rest = min(bytes.count, other.count) - start
        let end = zip(bytes.reversed(), other.reversed()).prefix(rest).prefix { $0 == $1 }.count
        let change = TextChange(
            effect: .any, position: start, old: Array(bytes[start..<bytes.count - end]),
            new: Array(other[start..<other.count - end]))
        history.add([change])
        perform([change])
    }

    private mutating func perform(_ changes: [TextChange]) {
        lastChange = nil
        for change in changes { try? apply(change) }
        if pattern != nil { assemble() }
        revision += 1
    }
}

// MARK: Changes

extension StudioDocument {
    /// Applies an edit, and returns the corresponding change.
    private mutating func make(_ edit: JSONEdit) throws(StudioError) -> TextChange {
        let change = try change(for: edit)
        do {
            try apply(change)
        } catch {
            throw StudioError(error.message, advice: error.advice)
        }
        guard pattern != nil else {
            try? apply(change.inverse)
            throw StudioError(
                "\(JSONEditError(edit.path, "the file could not be read after this edit"))",
                advice: "use a value that AHAP allows at this path")
        }
        return change
    }

    private func change(for edit: JSONEdit) throws(StudioError) -> TextChange {
        do {
            guard edit.path.first == .key(Self.pattern), edit.path.count > 1,
                case .index(let index) = edit.path[1], let ranges
            else { return try change(ofDocument: edit) }
            if edit.path.count > 2 { return try change(ofEntry: index, edit, ranges) }
            return try change(ofList: index, edit, ranges)
        } catch let error as JSONEditError {
            throw StudioError(
                error.description,
                advice: "reload the page, because it shows another version of the document")
        } catch {
            throw StudioError(
                "\(error)",
                advice: "reload the page, because it shows another version of the document")
        }
    }

    /// Returns the change for an edit within an entry.
    private func change(
        ofEntry index: Int, _ edit: JSONEdit, _ ranges: JSONElements
    ) throws -> TextChange {
        guard ranges.elements.indices.contains(index) else { throw missing(edit) }
        let old = Array(bytes[ranges.elements[index]])
        let editor = try JSONEditor(old, indentation: indentation(at: ranges.elements[index]))
        let inner = JSONEdit(edit.operation, at: Array(edit.path.dropFirst(2)))
        var new = old
        let (range, text) = try editor.change(for: inner)
        new.replaceSubrange(range, with: text)
        return TextChange(effect: .entry(index), position: 0, old: old, new: new)
    }

    /// Returns the change for an edit of a whole entry.
    private func change(
        ofList index: Int, _ edit: JSONEdit, _ ranges: JSONElements
    ) throws -> TextChange {
        let elements = ranges.elements
        switch edit.operation {
        case .replace(let value):
            guard elements.indices.contains(index) else { throw missing(edit) }
            let old = Array(bytes[elements[index]])
            let editor = try JSONEditor(old, indentation: indentation(at: elements[index]))
            let new = try editor.change(for: JSONEdit(.replace(value), at: [])).text
            return TextChange(effect: .entry(index), position: 0, old: old, new: new)
        case .add(let value):
            guard 0...elements.count ~= index, case .object = value.kind else {
                throw missing(edit)
            }
            let (range, text) = JSONEditor.insertion(
                of: value, at: index, of: elements, in: ranges.array, of: bytes,
                indentation: indentation(at: ranges.array))
            let offset = text.prefix { $0 != UInt8(ascii: "{") }.count
            let end = text.lastIndex(of: UInt8(ascii: "}")).map { $0 + 1 } ?? text.count
            return TextChange(
                effect: .insertion(index, offset: offset, count: end - offset),
                position: range.lowerBound, old: Array(bytes[range]), new: text)
        case .remove:
            guard elements.indices.contains(index) else { throw missing(edit) }
            let range = removal(of: index, elements)
            return TextChange(
                effect: .removal(
                    index, offset: elements[index].lowerBound - range.lowerBound,
                    count: elements[index].count),
                position: range.lowerBound, old: Array(bytes[range]), new: [])
        }
    }

    private func removal(of index: Int, _ elements: [Range<Int>]) -> Range<Int> {
        if index > 0 { return elements[index - 1].upperBound..<elements[index].upperBound }
        guard elements.count > 1 else { return JSONEditor.onlyPart(elements[0], of: bytes) }
        return elements[0].lowerBound..<elements[1].lowerBound
    }

    /// Returns the change for an edit outside the entries, which requires parsing the whole text
    /// again.
    private func change(ofDocument edit: JSONEdit) throws -> TextChange {
        let (range, text) = try JSONEditor(bytes).change(for: edit)
        return TextChange(
            effect: .any, position: range.lowerBound, old: Array(bytes[range]), new: text)
    }

    private func missing(_ edit: JSONEdit) -> JSONEditError {
        JSONEditError(edit.path.prefix(2), "there is no such entry")
    }

    private func indentation(at range: Range<Int>) -> [UInt8] {
        let start = bytes[..<range.lowerBound].lastIndex { $0 == UInt8(ascii: "\n") }
        return Array(
            bytes[(start.map { $0 + 1 } ?? 0)...].prefix {
                $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t")
            })
    }

    /// Changes the bytes, and parses the changed parts. Throws an error and changes nothing if an
    /// entry would no longer be readable.
    private mutating func apply(_ change: TextChange) throws(AHAPError) {
        switch change.effect {
        case .entry(let index):
            let entry = try PatternEntry(change.new)
            guard let range = ranges?.elements[index] else { return }
            bytes.replaceSubrange(range, with: change.new)
            ranges?.resize(index, to: change.new.count)
            extendLastChange(by: entries[index].change(to: entry))
            entries[index] = entry
        case .insertion(let index, let offset, let count):
            let start = change.position + offset
            let entry = try PatternEntry(Array(change.new[offset..<offset + count]))
            splice(change)
            ranges?.insert(
                start..<start + count, at: index, growth: change.new.count - change.old.count)
            extendLastChange(by: PatternEntry().change(to: entry))
            entries.insert(entry, at: index)
        case .removal(let index, _, _):
            splice(change)
            ranges?.remove(at: index, shrinkage: change.old.count - change.new.count)
            extendLastChange(by: entries[index].change(to: PatternEntry()))
            entries.remove(at: index)
        case .any:
            splice(change)
            read()
        }
    }

    private mutating func splice(_ change: TextChange) {
        let range = change.position..<change.position + change.old.count
        bytes.replaceSubrange(range, with: change.new)
    }

    private mutating func extendLastChange(by change: ChangedRange?) {
        guard let change else { return }
        guard let last = lastChange else {
            lastChange = change
            return
        }
        lastChange = ChangedRange(
            start: min(last.start, change.start), end: max(last.end, change.end),
            isTap: last.isTap && change.isTap)
    }
}

// MARK: JSON

extension StudioDocument {
    /// The document as valid JSON; nil if the text cannot be read.
    var json: String? {
        guard pattern != nil, let result = try? JSONReader.read(bytes) else { return nil }
        guard result.diagnostics.contains(where: \.isRepair) else {
            return String(decoding: bytes, as: UTF8.self)
        }
        return JSONWriter.text(of: result.value, layout: .compact)
    }
}
