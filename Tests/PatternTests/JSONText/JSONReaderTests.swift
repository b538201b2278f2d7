// Tests of the JSON reader: the locations of values, the three repairs, and the positions of
// errors.

import JSONText
import Testing

struct JSONReaderTests {
    private func refusal(_ text: String, _ mode: JSONReader.Mode = .lenient) -> JSONError? {
        do throws(JSONError) {
            _ = try JSONReader.read(bytes(text), mode: mode)
            return nil
        } catch {
            return error
        }
    }

    // MARK: Locations

    @Test func everyValueAndKeyHasItsLineAndColumn() throws {
        let text = "{\n  \"a\": [1,\n\ttrue],\n  \"b\" : \"x\"}"
        let value = try JSONReader.read(bytes(text)).value
        guard case .object(let object) = value.kind, case .array(let list)? = object["a"]?.kind
        else { throw Unexpected() }
        #expect(value.location == JSONText.SourceLocation(line: 1, column: 1))
        #expect(
            object.members.map(\.keyLocation) == [
                .init(line: 2, column: 3), .init(line: 4, column: 3),
            ])
        #expect(list.map(\.location) == [.init(line: 2, column: 9), .init(line: 3, column: 2)])
        #expect(object["b"]?.location == JSONText.SourceLocation(line: 4, column: 9))
    }

    @Test(arguments: ["[1,\nx]", "[1,\rx]", "[1,\r\nx]"])
    func everyKindOfLineEndCountsOnce(_ text: String) {
        #expect(refusal(text)?.location == JSONText.SourceLocation(line: 2, column: 1))
    }

    @Test func columnsCountScalarsAndNotBytes() {
        #expect(refusal("[\"é한😀\", x]")?.location == JSONText.SourceLocation(line: 1, column: 9))
        #expect(refusal("[\"é한😀\"\n, x]")?.location == JSONText.SourceLocation(line: 2, column: 3))
    }

    // MARK: Repairs

    private static let repairs: [(String, Finding)] = [
        ("[1, 2,]", Finding(.trailingComma, 1, 6)),
        ("{\n \"a\": 1 ,\n}", Finding(.trailingComma, 2, 9)),
        ("// Created by\n{}", Finding(.comment, 1, 1)),
        ("[1, /* two\n lines */ 2]", Finding(.comment, 1, 5)),
        ("{\"a\" // key\n : 1}", Finding(.comment, 1, 6)),
        ("{} // end", Finding(.comment, 1, 4)),
        ("\u{FEFF}{}", Finding(.byteOrderMark, 1, 1)),
    ]

    @Test(arguments: repairs)
    func lenientModeRepairsAndSaysWhere(_ text: String, _ remark: Finding) throws {
        let result = try JSONReader.read(bytes(text))
        #expect(result.diagnostics.map { Finding($0.rule, $0.location) } == [remark])
        #expect(result.diagnostics.map(\.isRepair) == [true])
    }

    @Test(arguments: repairs)
    func strictModeRefusesWhatLenientModeRepairs(_ text: String, _ remark: Finding) {
        let error = refusal(text, .strict)
        #expect(error.map { Finding($0.rule, $0.location) } == remark)
    }

    @Test func theByteOrderMarkIsNoColumn() {
        #expect(refusal("\u{FEFF}[x]")?.location == JSONText.SourceLocation(line: 1, column: 2))
    }

    @Test func ofADuplicateKeyTheLastWinsAndTheRestIsReported() throws {
        for mode in [JSONReader.Mode.strict, .lenient] {
            let result = try JSONReader.read(bytes("{\"a\": 1, \"b\": 2,\n \"a\": 3}"), mode: mode)
            #expect(JSONWriter.text(of: result.value, layout: .compact) == "{\"a\":3,\"b\":2}")
            #expect(
                result.diagnostics.map { Finding($0.rule, $0.location) } == [
                    Finding(.duplicateKey, 2, 2)
                ])
            #expect(result.diagnostics.first?.isRepair == false)
        }
    }

    @Test func duplicateKeysAreFoundAmongManyKeys() throws {
        let keys = (0..<20).map { "\"k\($0)\": \($0)" }.joined(separator: ",")
        let result = try JSONReader.read(bytes("{\(keys),\"k3\": 0,\"k19\": 0}"))
        #expect(result.diagnostics.map(\.rule) == [.duplicateKey, .duplicateKey])
    }

    @Test func keysThatDifferInTheirBytesAreDifferentKeys() throws {
        let result = try JSONReader.read(bytes("{\"\u{E9}\": 1, \"e\u{301}\": 2}"))
        #expect(result.diagnostics.isEmpty)
    }

    // MARK: Errors

    @Test(arguments: [
        ("", 1, 1), ("  \n ", 2, 2), ("[1 2]", 1, 4), ("[1,,2]", 1, 4), ("[,]", 1, 2),
        ("{\"a\" 1}", 1, 6), ("{a: 1}", 1, 2), ("{\"a\":}", 1, 6), ("[1", 1, 3), ("[1}", 1, 3),
        ("[\"a\nb\"]", 1, 4), ("[\"a", 1, 4), ("[\"\\x\"]", 1, 3), ("[\"\\u12G4\"]", 1, 3),
        ("[\"\\uD800\"]", 1, 3), ("[01]", 1, 3), ("[1.]", 1, 4), ("[.5]", 1, 2), ("[+1]", 1, 2),
        ("[1e]", 1, 4), ("[-]", 1, 3), ("[NaN]", 1, 2), ("[Infinity]", 1, 2), ("[nul]", 1, 2),
        ("{} {}", 1, 4), ("[1] /", 1, 5), ("/* open", 1, 1), ("['a']", 1, 2),
        ("[\u{201C}a\"]", 1, 2),
    ])
    func brokenTextIsRefusedWithItsPlace(_ text: String, _ line: Int, _ column: Int) {
        let error = refusal(text)
        #expect(error?.location == JSONText.SourceLocation(line: line, column: column))
        #expect(error?.rule == .malformedJSON)
        #expect(error?.advice.isEmpty == false)
    }

    @Test func theMessageSaysWhatWasExpectedAndFound() {
        let error = refusal("{\n  \"a\": [1, 2\n}")
        #expect(
            error?.description
                == "3:1: error: expected \",\" or \"]\", found \"}\" [malformed-json]")
        #expect(
            error?.advice == "check the text before this location, inside the array opened at 2:8")
    }

    @Test(
        arguments: [
            [0x80], [0xC0, 0xAF], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80],
            [0xF0, 0x9F, 0x98], [0xFF],
        ] as [[UInt8]])
    func whatIsNotUTF8IsRefused(_ sequence: [UInt8]) {
        let text = bytes("[\"") + sequence + bytes("\"]")
        let error = #expect(throws: JSONError.self) { _ = try JSONReader.read(text) }
        #expect(error?.location == JSONText.SourceLocation(line: 1, column: 3))
    }

    // MARK: Content

    @Test(arguments: [
        (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"), (#""\u00e9\uD83D\uDE00""#, "é😀"),
        (#""a\u0000b""#, "a\0b"), (#""é한😀""#, "é한😀"),
    ])
    func escapesBecomeTheirCharacters(_ text: String, _ string: String) throws {
        #expect(try JSONReader.read(bytes(text)).value == JSONValue(.string(string)))
    }

    @Test(arguments: ["0.16666666666666657", "-0", "1E400", "12345678901234567890", "0.50"])
    func numbersKeepTheirText(_ text: String) throws {
        let value = try JSONReader.read(bytes(text)).value
        #expect(JSONWriter.text(of: value, layout: .compact) == text)
    }

    @Test func writesControlCharactersAndQuotesAsEscapes() {
        let value = JSONValue(.string("\"\\\n\t\u{1}\u{1F}é"))
        #expect(JSONWriter.text(of: value, layout: .compact) == #""\"\\\n\t\u0001\u001fé""#)
    }
}

/// The error that a test throws if it cannot continue.

/// The rule and the location of a finding.
struct Finding: Equatable {
    var rule: JSONDiagnostic.Rule
    var line: Int
    var column: Int

    init(_ rule: JSONDiagnostic.Rule, _ line: Int, _ column: Int) {
        self.rule = rule
        self.line = line
        self.column = column
    }

    init(_ rule: JSONDiagnostic.Rule, _ location: JSONText.SourceLocation) {
        self.init(rule, location.line, location.column)
    }
}
