// Tests of edits of values in a text, which leave all other bytes unchanged.

import TestSupport
import Testing

@testable import JSONText

@Suite struct JSONEditTests {
    /// Returns the text that results from an edit.
    private func edited(
        _ text: String, _ operation: JSONEdit.Operation, _ path: JSONPathStep...
    ) throws -> String {
        var bytes = Array(text.utf8)
        let (range, new) = try JSONEditor(bytes).change(for: JSONEdit(operation, at: path))
        bytes.replaceSubrange(range, with: new)
        return String(decoding: bytes, as: UTF8.self)
    }

    private func value(_ text: String) throws -> JSONValue {
        try JSONReader.read(Array(text.utf8)).value
    }

    @Test func aNumberIsReplacedAndNothingElse() throws {
        let text = "{ \"a\" :\t[1, /* two */ 2.50,\r\n 3,] }"
        #expect(
            try edited(text, .replace(value("7")), .key("a"), .index(1))
                == "{ \"a\" :\t[1, /* two */ 7,\r\n 3,] }")
    }

    @Test func theLastOfTwoEqualKeysIsTheOneThatCounts() throws {
        #expect(try edited(#"{"a":1,"a":2}"#, .replace(value("3")), .key("a")) == #"{"a":1,"a":3}"#)
    }

    @Test func aKeyThatIsMissingIsAddedInTheLayoutOfTheOthers() throws {
        #expect(try edited("{}", .add(value("1")), .key("b")) == #"{"b": 1}"#)
        #expect(try edited(#"{"a":1}"#, .add(value("2")), .key("b")) == #"{"a":1,"b":2}"#)
        #expect(
            try edited("{\n\t\"a\" : 1\n}", .add(value("2")), .key("b"))
                == "{\n\t\"a\" : 1,\n\t\"b\" : 2\n}")
    }

    @Test func aKeyThatExistsIsGivenTheAddedValue() throws {
        #expect(try edited(#"{"a":1,"b":2}"#, .add(value("3")), .key("a")) == #"{"a":3,"b":2}"#)
    }

    @Test(arguments: [
        ("[1,2,3]", 0, "[2,3]"), ("[1, 2, 3]", 1, "[1, 3]"), ("[1,\n 2\n]", 1, "[1\n]"),
        ("[ 1 ]", 0, "[]"), ("[\n  1,\n]", 0, "[]"),
    ])
    func aRemovalTakesTheCommaWithIt(_ text: String, _ index: Int, _ result: String) throws {
        #expect(try edited(text, .remove, .index(index)) == result)
    }

    @Test func aMemberIsRemovedWithItsKey() throws {
        #expect(try edited(#"{"a":1, "b":2}"#, .remove, .key("b")) == #"{"a":1}"#)
        #expect(try edited(#"{"a":1, "b":2}"#, .remove, .key("a")) == #"{"b":2}"#)
    }

    /// Texts with two objects, each with an index and the text that results if a third object is
    /// inserted at this index.
    static let insertions: [(String, Int, String)] = [
        (#"[{"t":1},{"t":2}]"#, 1, #"[{"t":1},{"t":9,"v":[{"i":3}]},{"t":2}]"#),
        (
            #"[{ "t": 1 }, { "t": 2 }]"#, 2,
            #"[{ "t": 1 }, { "t": 2 }, { "t": 9, "v": [{ "i": 3 }] }]"#
        ),
        (
            "[\n  {\"t\": 1},\n  {\"t\": 2}\n]", 0,
            "[\n  {\"t\": 9, \"v\": [{\"i\": 3}]},\n  {\"t\": 1},\n  {\"t\": 2}\n]"
        ),
        (
            "[\r\n\t{\r\n\t\t\"t\": 1\r\n\t},\r\n\t{\r\n\t\t\"t\": 2\r\n\t}\r\n]", 2,
            "[\r\n\t{\r\n\t\t\"t\": 1\r\n\t},\r\n\t{\r\n\t\t\"t\": 2\r\n\t},\r\n"
                + "\t{\r\n\t\t\"t\": 9,\r\n\t\t\"v\": [\r\n\t\t\t{\r\n\t\t\t\t\"i\": 3\r\n\t\t\t}\r\n\t\t]\r\n\t}\r\n]"
        ),
        (
            "[{\n  \"t\": 1\n}, {\n  \"t\": 2\n}]", 1,
            "[{\n  \"t\": 1\n}, {\n  \"t\": 9,\n  \"v\": [\n    {\n      \"i\": 3\n    }\n  ]\n}, {\n  \"t\": 2\n}]"
        ),
    ]

    @Test(arguments: insertions)
    func anInsertionLooksLikeItsNeighbours(
        _ text: String, _ index: Int, _ result: String
    ) throws {
        let object = try value(#"{"t":9,"v":[{"i":3}]}"#)
        #expect(try edited(text, .add(object), .index(index)) == result)
    }

    @Test func anInsertionIntoAnEmptyArrayFollowsTheDocument() throws {
        let object = try value(#"{"t":1}"#)
        #expect(
            try edited("{\n  \"a\": []\n}\n", .add(object), .key("a"), .index(0))
                == "{\n  \"a\": [\n    { \"t\": 1 }\n  ]\n}\n")
        #expect(
            try edited(#"{"a":[]}"#, .add(object), .key("a"), .index(0)) == #"{"a":[{"t": 1}]}"#)
    }

    @Test func anEditOfWhatIsNotThereIsRefusedWithItsPath() throws {
        let error = #expect(throws: JSONEditError.self) {
            _ = try edited(#"{"a":[1]}"#, .remove, .key("a"), .index(1))
        }
        #expect(error?.description == "a/1: there is no such value")
        #expect(throws: JSONEditError.self) {
            _ = try edited(#"{"a":[1]}"#, .add(value("1")), .key("a"), .index(2))
        }
        #expect(throws: JSONEditError.self) {
            _ = try edited("[1]", .add(value("1")), .key("a"))
        }
        #expect(throws: JSONEditError.self) {
            _ = try edited(#"{"a":1}"#, .replace(value("1")), .key("b"))
        }
    }

    @Test(.enabled(if: !SharedFiles.ahap.isEmpty), arguments: SharedFiles.ahap)
    func theElementsOfARealFileAreFoundWithoutReadingThem(_ name: String) throws {
        let bytes = try SharedFiles.bytes(name, in: "ahap")
        guard (try? JSONReader.read(bytes)) != nil else { return }
        let spans = try JSONSpans(bytes)
        let pattern = spans.value(of: "Pattern", in: 0)
        let expected = pattern.map { spans.elements(of: $0).map { spans.nodes[$0].range } }
        #expect(JSONElements(of: "Pattern", in: bytes)?.elements == expected)
    }
}
