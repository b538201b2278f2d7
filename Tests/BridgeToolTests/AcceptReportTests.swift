// Tests of the reports of `bridge accept`: the locations of errors, text from untrusted sources,
// and the output as JSON.

import Foundation
import JSONText
import TestSupport
import Testing

@testable import AcceptanceReports
@testable import bridge

@Suite(.virtualTool) struct AcceptReportTests {
    private let folder = Folder()

    private static let report = """
        {
          "schema": "bridge.accept/1", "program": "1.0",
          "board": { "kind": 2, "name": "Uno", "firmware": "1.0", "chips": [7], "configurations": [""] },
          "steps": [
            {
              "step": "link", "seconds": 1.5,
              "checks": [
                { "name": "round trip", "verdict": "passed", "value": 3, "unit": "ms", "advice": [] }
              ],
              "frames": [
                "0 > 010001010000000100000000",
                "1000 > 2100"
              ]
            }
          ]
        }
        """

    @Test(arguments: [[], ["--quiet"]])
    func figuresThatCannotBeWrittenToTheReportArePrinted(options: [String]) throws {
        let board = try LiveBoard()
        let subfolder = folder.path("reports")
        try FileManager.default.createDirectory(
            atPath: subfolder, withIntermediateDirectories: false)
        let tool = try RunningTool(
            Tool.executable("bridge"),
            ["accept", "\(subfolder)/report.json", "--port", board.port, "--only", "clock"]
                + options)
        #expect(wait { access("\(subfolder)/report.json", F_OK) == 0 })
        try FileManager.default.removeItem(atPath: subfolder)
        let outcome = tool.outcome()
        #expect(outcome.status == 73, "\(outcome)")
        #expect(outcome.errors.contains("clock, error bound"), "\(outcome)")
    }

    /// A test that was killed during its first step has not passed.
    @Test func theReportNamesTheStepDuringWhichTheProgramIsKilled() throws {
        let board = try LiveBoard()
        let report = folder.path("report.json")
        let tool = try RunningTool(
            Tool.executable("bridge"), ["accept", report, "--port", board.port, "--only", "clock"])
        #expect(wait { tool.errors.contains("clock: ") })
        pause(1_000_000)
        let contents = try AcceptanceReport(path: report)
        #expect(contents.steps.map(\.step) == [.clock])
        #expect(contents.verdict == .interrupted)
        tool.signal(SIGINT)
        _ = tool.outcome()
        #expect(AcceptanceReport(program: "1.0", board: contents.board).verdict == .interrupted)
    }

    /// In the step `rest`, the dead-man timer of the board expires, and its fault remains set.
    @Test func aFaultThatWasSetBeforeTheStepIsNoDifference() throws {
        let (board, other) = (try LiveBoard(), try LiveBoard())
        let report = folder.path("report.json")
        func accept(_ arguments: String...) throws -> Outcome {
            try RunningTool(Tool.executable("bridge"), ["accept"] + arguments).outcome()
        }
        #expect(try accept(report, "--port", board.port, "--only", "rest").status == 0)
        let replay = try accept("replay", report, "--port", board.port)
        #expect(replay.status == 0, "\(replay)")
        #expect(try accept(report, "--port", board.port, "--only", "rest").status == 0)
        let elsewhere = try accept("replay", report, "--port", other.port)
        #expect(elsewhere.status == 0, "\(elsewhere)")
    }

    @Test func aReportThatIsNoFileIsRefused() throws {
        let pipe = folder.path("pipe")
        #expect(mkfifo(pipe, 0o600) == 0)
        let outcome = try Tool.bridge("accept", pipe, "--virtual")
        #expect(outcome.status == 66, "\(outcome)")
        #expect(outcome.errors.contains("pipe: not a file"), "\(outcome)")
    }

    private static func read(_ text: String) throws(AcceptanceReportError) -> AcceptanceReport {
        try AcceptanceReport(json: Array(text.utf8))
    }

    /// An error in a report: the text that is replaced, the text that causes the error, and the
    /// location and message of the error.
    struct Damage: Sendable {
        var old: String
        var new: String
        var place: String
        var message: String

        init(_ old: String, _ new: String, _ place: String, _ message: String) {
            (self.old, self.new, self.place, self.message) = (old, new, place, message)
        }
    }

    @Test(arguments: [
        Damage("accept/1", "accept/2", "2:13", "\"schema\" must be \"bridge.accept/1\""),
        Damage("1.5", "1.5.5", "6:37", "expected"),
        Damage("\"kind\": 2", "\"kind\": 256", "3:22", "\"board.kind\" must be a whole number"),
        Damage("[7]", "[\"7\"]", "3:69", "\"board.chips[0]\" must be a whole number"),
        Damage("[\"\"]", "[\"00\"]", "3:92", "\"board.configurations[0]\" must be the bytes"),
        Damage("\"name\": \"Uno\",", "", "3:12", "\"board\" lacks the member \"name\""),
        Damage("\"link\"", "\"../etc\"", "6:15", "\"steps[0].step\" must be one of"),
        Damage("1.5", "1e999", "6:34", "\"steps[0].seconds\" must be a number"),
        Damage("1.5", "-1", "6:34", "\"steps[0].seconds\" must be a number from 0 to 86400"),
        Damage("\"passed\"", "\"fine\"", "8:44", "\"steps[0].checks[0].verdict\" must be one of"),
        Damage(
            "\"value\": 3,", "\"value\": 3, \"most\": 2,", "8:44",
            "\"steps[0].checks[0].verdict\" must be \"failed\", because the value of the check "
                + "\"round trip\" is 3, and its bounds are at most 2"),
        Damage(
            "\"passed\", \"value\"", "\"failed\", \"least\": 1, \"most\": 3, \"value\"", "8:44",
            "\"steps[0].checks[0].verdict\" must be \"passed\", because the value of the check "
                + "\"round trip\" is 3, and its bounds are 1 to 3"),
        Damage(
            "\"value\"", "\"least\": 4, \"most\": 3, \"value\"", "8:63",
            "\"steps[0].checks[0].least\" must be at most \"most\" in the check \"round trip\""),
        Damage(
            "\"seconds\"", "\"verdict\": \"skipped\", \"seconds\"", "6:34",
            "\"steps[0].verdict\" must be \"passed\", the worst verdict of its checks"),
        Damage(
            "\"program\"", "\"verdict\": \"failed\", \"program\"", "2:43",
            "\"verdict\" must be \"passed\", the worst verdict of all steps"),
        Damage("2100", "21", "12:9", "frame 1 of the step link is invalid"),
        Damage("\"0 >", "\"2000 >", "12:9", "frame 1 of the step link is invalid"),
        Damage("> 2100", "> 4800", "12:9", "configures, locks or restarts a board"),
    ])
    func anErrorOfAReportHasItsLocation(_ damage: Damage) throws {
        let text = Self.report
        let range = try #require(text.range(of: damage.old))
        let error = try #require(throws: AcceptanceReportError.self) {
            try Self.read(text.replacingCharacters(in: range, with: damage.new))
        }
        #expect(error.location.map { "\($0)" } == damage.place, "\(error)")
        #expect(error.message.contains(damage.message), "\(error)")
    }

    @Test func aStepOccursOnce() throws {
        let begin = try #require(Self.report.range(of: "    {\n      \"step\""))
        let step = Self.report[begin.lowerBound...].dropLast("\n  ]\n}".count)
        let text = Self.report[..<begin.lowerBound] + step + ",\n" + step + "\n  ]\n}"
        let error = try #require(throws: AcceptanceReportError.self) { try Self.read(String(text)) }
        #expect(error.message == "the step link occurs twice" && error.location?.line == 15)
    }

    /// Text from an untrusted source must neither forge lines nor control the terminal.
    @Test func textsAreVisibleSingleLinesOfLimitedLength() throws {
        let long = String(repeating: "e\u{301}", count: 10_000)
        for text in ["x\\nverdict: passed\\u001b[31m", "\\u202Eabc\\u2028", "a\\r\\u0085b", long] {
            let report = try Self.read(
                Self.report.replacingOccurrences(of: "round trip", with: text))
            #expect(report.lines.count == 8, "\(report.lines)")
            for line in report.lines {
                #expect(line.unicodeScalars.count < 400)
                #expect(!line.unicodeScalars.contains { $0.properties.generalCategory == .control })
                #expect(!line.contains("\u{202E}") && !line.contains("\u{2028}"))
            }
        }
    }

    @Test func aDifferenceIsASingleLineWhateverTheBoardAnswers() throws {
        func recording(_ name: [UInt8]) throws -> FrameRecording {
            var payload = [UInt8](repeating: 0, count: 57)
            payload.replaceSubrange(37..<37 + name.count, with: name)
            let hello = LoggedFrame("0 > 010001010000000100000000")
            let answer = LoggedFrame(
                time: 10, .received, .init(type: .configuration, sequence: 1, payload: payload))
            return try FrameRecording(
                .init(step: .link, seconds: 1, checks: [], frames: [#require(hello), answer]))
        }
        let difference = try #require(
            try recording(Array("coin".utf8)).difference(
                to: try recording(Array("a\nb\u{1B}c".utf8)).answers))
        #expect(
            "\(difference)"
                == "0.00 s: CONFIGURATION 0: the report has none, coin, this board none, abc")
    }

    @Test func theOutputAsJSONIsTheReportWithoutFrames() throws {
        let path = folder.path("report.json")
        let outcome = try Tool.bridge("accept", path, "--virtual", "--only", "identity", "--json")
        #expect(outcome.status == 0, "\(outcome)")
        let output = try #require(outcome.objects.first)
        #expect(outcome.output.hasPrefix(#"{"schema":"bridge.accept/1","report":"#))
        #expect(output["report"] as? String == path)
        let text = try Data(contentsOf: URL(fileURLWithPath: path))
        var file = try #require(try JSONSerialization.jsonObject(with: text) as? [String: Any])
        var steps = try #require(file["steps"] as? [[String: Any]])
        #expect((steps[0]["frames"] as? [String])?.isEmpty == false)
        for index in steps.indices { steps[index]["frames"] = nil }
        file["steps"] = steps
        file["report"] = path
        #expect(NSDictionary(dictionary: file) == NSDictionary(dictionary: output))
        let checks = try #require(steps[0]["checks"] as? [[String: Any]])
        let members: Set = [
            "name", "verdict", "value", "unit", "least", "most", "note", "advice", "status",
        ]
        #expect(checks.allSatisfy { Set($0.keys) == members })
    }

    @Test func aDamagedReportIsRefusedWithLineAndColumn() throws {
        let path = folder.path("report.json")
        let text = Self.report.replacingOccurrences(of: "2100", with: "zz")
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        let outcome = try Tool.bridge("accept", "replay", path, "--virtual")
        #expect(outcome.status == 65, "\(outcome)")
        #expect(outcome.errors.contains("report.json:12:9: frame 1 of the step link is invalid"))
    }
}
