// Tests that edit a document: its bytes, its meaning and its history.

import AHAP
import Foundation
import HapticPatterns
import JSONText
import TestSupport
import Testing

@testable import Studio

@Suite struct StudioDocumentTests {
    static let file = """
        {
          "Version": 1.0,
          "Pattern": [
            { "Event": { "Time": 0.0, "EventType": "HapticTransient" } },
            { "Event": { "Time": 0.5, "EventType": "HapticContinuous", "EventDuration": 0.3 } },
            { "ParameterCurve": { "ParameterID": "HapticIntensityControl", "Time": 0,
              "ParameterCurveControlPoints": [
                { "Time": 0, "ParameterValue": 1 },
                { "Time": 0.4, "ParameterValue": 0.5 }
              ] } }
          ]
        }

        """

    private let document = StudioDocument(Array(Self.file.utf8))

    private func text(_ document: StudioDocument) -> String {
        String(decoding: document.bytes, as: UTF8.self)
    }

    @Test func anEditChangesItsBytesAndItsMeaning() throws {
        var document = document
        try document.edit([.replace("0.25", 0, "Event", "Time")], isLive: false)
        #expect(text(document) == Self.file.replacing("\"Time\": 0.0", with: "\"Time\": 0.25"))
        #expect(document.pattern?.events.map(\.time) == [250_000, 500_000])
        #expect(document.revision == 1 && !document.isSaved && document.canUndo)
        #expect(document.lastChange == ChangedRange(start: 250_000, end: 250_000, isTap: true))
    }

    @Test func undoAndRedoLeadThroughTheSameBytes() throws {
        var document = document
        try document.edit([.replace("0.25", 0, "Event", "Time")], isLive: false)
        try document.edit([.add(Self.tap, 1), .remove(3)], isLive: false)
        let after = text(document)
        #expect(document.pattern?.events.count == 3 && document.pattern?.curves.isEmpty == true)
        let undone = [document.undo(), document.undo(), document.undo()]
        #expect(undone == [true, true, false])
        #expect(text(document) == Self.file && document.isSaved)
        let redone = [document.redo(), document.redo(), document.redo()]
        #expect(redone == [true, true, false])
        #expect(text(document) == after && !document.isSaved)
    }

    @Test func aDragIsOneStepOfTheHistory() throws {
        var document = document
        for step in 1...50 {
            try document.edit(
                [
                    .replace("0.\(100 + step)", 0, "Event", "Time"),
                    .replace("0.7", 1, "Event", "Time"),
                ],
                isLive: true)
        }
        #expect(!document.canUndo && !document.isSaved)
        try document.edit([.replace("0.2", 0, "Event", "Time")], isLive: false)
        let isUndone = document.undo()
        #expect(isUndone)
        #expect(text(document) == Self.file && !document.canUndo)
    }

    @Test func aDragThatEndsWhereItBeganIsNoStep() throws {
        var document = document
        try document.edit([.replace("0.3", 0, "Event", "Time")], isLive: true)
        try document.edit([.replace("0.0", 0, "Event", "Time")], isLive: false)
        #expect(!document.canUndo && document.isSaved)
    }

    @Test func anInsertionDuringADragIsUndoneWithIt() throws {
        var document = document
        try document.edit([.replace("0.1", 0, "Event", "Time")], isLive: true)
        try document.edit([.add(Self.tap, 0)], isLive: true)
        try document.edit([.replace("0.9", 0, "Event", "Time")], isLive: true)
        try document.edit([.replace("0.2", 1, "Event", "Time")], isLive: false)
        #expect(document.pattern?.events.map(\.time) == [200_000, 500_000, 900_000])
        let isUndone = document.undo()
        #expect(isUndone)
        #expect(text(document) == Self.file)
    }

    @Test func editsThatCannotAllBeMadeAreNotMadeAtAll() {
        var document = document
        #expect(throws: StudioError.self) {
            try document.edit(
                [
                    .remove(0), .replace("0.1", 0, "Event", "Time"),
                    .replace("1", 7, "Event", "Time"),
                ],
                isLive: false)
        }
        #expect(throws: StudioError.self) {
            try document.edit([.replace("\"soon\"", 0, "Event", "Time")], isLive: false)
        }
        #expect(throws: StudioError.self) {
            try document.edit([StudioEdit(JSONEdit(.remove, at: [.key("Pattern")]))], isLive: false)
        }
        #expect(text(document) == Self.file && document.isSaved && document.revision == 0)
        #expect(document.pattern?.events.count == 2)
    }

    @Test func aMovedPointIsFeltWhereItIs() throws {
        var document = document
        try document.edit(
            [
                .replace(
                    "0.8", 2, "ParameterCurve", "ParameterCurveControlPoints", 1, "ParameterValue")
            ],
            isLive: true)
        #expect(document.lastChange == ChangedRange(start: 400_000, end: 400_000, isTap: false))
    }

    @Test func anEmptyPatternIsWhereOneBegins() throws {
        var document = StudioDocument(Array("{\n  \"Version\": 1.0,\n  \"Pattern\": []\n}\n".utf8))
        try document.edit([.add(Self.tap, 0)], isLive: false)
        #expect(try AHAPReader.read(document.bytes).pattern == document.pattern)
        try document.edit([.remove(0)], isLive: false)
        #expect(document.pattern == HapticPattern())
        let isUndone = document.undo()
        #expect(isUndone && document.pattern?.events.count == 1)
    }

    @Test func anotherTextIsAStepToo() {
        var document = document
        document.replace(with: Array(Self.file.replacing("0.5", with: "0.75").utf8))
        #expect(document.pattern?.events.last?.time == 750_000)
        let isUndone = document.undo()
        #expect(isUndone && text(document) == Self.file && document.isSaved)
    }

    @Test func aTextThatCannotBeReadIsNotEdited() {
        var document = StudioDocument(Array("{\"Pattern\": [".utf8))
        #expect(document.pattern == nil && document.json == nil)
        #expect(throws: StudioError.self) { try document.edit([.remove(0)], isLive: false) }
    }

    @Test func aRepairedTextIsStrictJSONForThePage() throws {
        let document = StudioDocument(Array("{\"Pattern\": [\(Self.tap), ], } // end".utf8))
        let json = try #require(document.json)
        #expect(throws: Never.self) {
            try JSONReader.read(Array(json.utf8), mode: .strict)
        }
    }

    /// Checks random edits of real files. The separately edited parts must have the same meaning as
    /// the whole document, and undoing all edits must restore every byte.
    @Test(.enabled(if: !SharedFiles.ahap.isEmpty), arguments: SharedFiles.ahap)
    func whatIsReadInPartsIsWhatTheFileSays(_ name: String) throws {
        let bytes = try SharedFiles.bytes(name, in: "ahap")
        guard bytes.count < 300_000 else { return }
        var document = StudioDocument(bytes)
        guard document.pattern != nil else { return }
        var generator = SeededGenerator(seed: 27)
        for _ in 0..<20 {
            let count = document.pattern.map { $0.events.count + $0.curves.count } ?? 0
            let index = Int.random(in: 0...max(0, count), using: &generator)
            let edit: StudioEdit =
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: .add(Self.tap, index)
                case 1: .remove(index)
                default:
                    .replace("\(Int.random(in: 0..<99, using: &generator))", index, "Event", "Time")
                }
            try? document.edit([edit], isLive: Bool.random(using: &generator))
        }
        document.commit()
        let read = (try? AHAPReader.read(document.bytes))?.pattern ?? HapticPattern()
        #expect(document.pattern == read)
        while document.undo() {}
        #expect(document.bytes == bytes)
    }

    static let tap = #"{"Event":{"Time":0.9,"EventType":"HapticTransient"}}"#
}

extension StudioEdit {
    private static func value(_ text: String) -> JSONValue {
        try! JSONReader.read(Array(text.utf8)).value
    }

    private static func path(_ steps: [Any]) -> [JSONPathStep] {
        [.key("Pattern")]
            + steps.map { $0 as? Int }.enumerated().map { index, number in
                number.map(JSONPathStep.index) ?? .key(steps[index] as! String)
            }
    }

    /// Returns an edit that replaces a value of an entry with a JSON value.
    static func replace(_ text: String, _ steps: Any...) -> StudioEdit {
        StudioEdit(JSONEdit(.replace(value(text)), at: path(steps)))
    }

    static func add(_ text: String, _ index: Int) -> StudioEdit {
        StudioEdit(JSONEdit(.add(value(text)), at: path([index])))
    }

    static func remove(_ index: Int) -> StudioEdit {
        StudioEdit(JSONEdit(.remove, at: path([index])))
    }
}
