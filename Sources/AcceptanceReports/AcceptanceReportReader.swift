// AcceptanceReportReader: reads a report, which may come from an untrusted source.

import BridgeLink
import JSONText

extension AcceptanceReport {
    /// The maximum size of a report, in bytes. A complete test takes about 1 MB.
    private static let sizeMax = 16 << 20
    /// The maximum number of arrays and objects in a report.
    private static let containersMax = 10_000

    /// Reads a report. Unknown members are ignored.
    ///
    /// - Throws: ``AcceptanceReportError`` with the location of the first error.
    public init(json bytes: [UInt8]) throws(AcceptanceReportError) {
        guard bytes.count <= Self.sizeMax else {
            throw AcceptanceReportError(message: "larger than \(Self.sizeMax >> 20) MB")
        }
        let root = Member(try Self.value(of: bytes), "")
        let schema = try root.member("schema")
        guard try schema.text() == Self.schema else {
            throw AcceptanceReportError(
                location: schema.location, message: "\"schema\" must be \"\(Self.schema)\"",
                advice: "use a report that this version of `bridge accept` wrote")
        }
        self.init(
            program: try root.member("program").text(),
            board: try Board(root.member("board")), steps: [])
        for member in try root.member("steps").elements(most: AcceptanceStep.allCases.count) {
            let step = try Step(member)
            guard !steps.contains(where: { $0.step == step.step }) else {
                throw AcceptanceReportError(
                    location: member.location, message: "the step \(step.step) occurs twice")
            }
            steps.append(step)
        }
        try root.checkVerdict(verdict, "the worst verdict of all steps")
    }

    private static func value(of bytes: [UInt8]) throws(AcceptanceReportError) -> JSONValue {
        var report = JSONReport(isStrict: true)
        do {
            return try JSONReader.read(bytes, report: &report, mostContainers: containersMax)
        } catch {
            throw AcceptanceReportError(
                location: error.location, message: error.message.asLineOfStranger)
        }
    }
}

extension AcceptanceReport.Board {
    fileprivate init(_ board: Member) throws(AcceptanceReportError) {
        self.init(
            kind: try board.member("kind").integer(),
            name: try board.member("name").text(),
            firmware: try board.member("firmware").text(),
            usb: try board.optional("usb")?.text(),
            chips: [], configurations: [])
        for chip in try board.member("chips").elements(most: ActuatorMask.countMax) {
            chips.append(try chip.integer())
        }
        for text in try board.member("configurations").elements(most: ActuatorMask.countMax) {
            configurations.append(try text.configuration())
        }
    }
}

extension AcceptanceReport.Step {
    /// The maximum number of checks of a step. A board with 16 actuators needs four checks for each
    /// of them.
    private static let checksMax = 200
    /// The maximum number of frames of a step; a report of the maximum size contains fewer frames.
    private static let framesMax = 200_000
    /// The maximum number of levels of a step; a capture contains fewer levels.
    private static let levelsMax = 100_000

    fileprivate init(_ member: Member) throws(AcceptanceReportError) {
        self.init(
            step: try member.member("step").name(), seconds: try member.member("seconds").seconds(),
            checks: [], frames: [])
        for check in try member.member("checks").elements(most: Self.checksMax) {
            checks.append(try AcceptanceCheck(check))
        }
        try member.checkVerdict(verdict, "the worst verdict of its checks")
        for (index, text) in try member.member("frames").values(most: Self.framesMax).enumerated() {
            frames.append(try frame(text, index))
        }
        guard let texts = try member.optional("levels") else { return }
        var levels: [CapturedLevel] = []
        for (index, text) in try texts.values(most: Self.levelsMax).enumerated() {
            guard case .string(let string) = text.kind, let level = CapturedLevel(string) else {
                throw AcceptanceReportError(
                    location: text.location,
                    message: "level \(index) of the step \(step) is invalid",
                    advice: "expected the time in µs and the value of a level, for example "
                        + "\"1520.25 7f\"")
            }
            levels.append(level)
        }
        self.levels = levels
    }

    private func frame(
        _ value: JSONValue, _ index: Int
    ) throws(AcceptanceReportError) -> LoggedFrame {
        guard case .string(let text) = value.kind, let frame = LoggedFrame(text),
            frame.time >= frames.last?.time ?? 0
        else {
            throw AcceptanceReportError(
                location: value.location, message: "frame \(index) of the step \(step) is invalid",
                advice:
                    "expected the time in µs, which must not decrease, > or <, and the bytes, for "
                    + "example \"1520 > 2001\"")
        }
        guard frame.isHarmless else {
            throw AcceptanceReportError(
                location: value.location,
                message:
                    "frame \(index) of the step \(step) configures, locks or restarts a board, "
                    + "which no acceptance test does",
                advice: "do not use this report")
        }
        return frame
    }
}

extension AcceptanceCheck {
    /// The maximum number of actions that a check advises. The advice on each fault consists of one
    /// or two actions.
    private static let adviceMax = 50

    fileprivate init(_ check: Member) throws(AcceptanceReportError) {
        self.init(
            name: try check.member("name").text(), verdict: try check.member("verdict").name(),
            value: try check.optional("value")?.number(), unit: try check.optional("unit")?.text(),
            least: try check.optional("least")?.number(),
            most: try check.optional("most")?.number(), note: try check.optional("note")?.text(),
            advice: [], status: try check.optional("status")?.integer())
        for advice in try check.member("advice").elements(most: Self.adviceMax) {
            self.advice.append(try advice.text())
        }
        try checkBounds(check)
    }

    /// Throws an error if the verdict contradicts the value and its bounds.
    private func checkBounds(_ check: Member) throws(AcceptanceReportError) {
        if let least, let most, least > most {
            throw try check.member("least").wrong("at most \"most\" in the check \"\(name)\"")
        }
        guard let isWithinBounds, let value, let bounds,
            verdict == (isWithinBounds ? .failed : .passed)
        else { return }
        throw try check.member("verdict").wrong(
            "\"\(isWithinBounds ? "passed" : "failed")\", because the value of the check "
                + "\"\(name)\" is \(Self.text(value)), and its bounds are \(bounds)")
    }
}

/// A value of a report, and the path of the value for error messages.
private struct Member {
    private let value: JSONValue
    private let path: String

    init(_ value: JSONValue, _ path: String) { (self.value, self.path) = (value, path) }

    var location: SourceLocation? { value.location }

    func wrong(_ expected: String) -> AcceptanceReportError {
        let name = path.isEmpty ? "the report" : "\"\(path)\""
        return AcceptanceReportError(location: location, message: "\(name) must be \(expected)")
    }

    // MARK: Parts

    /// Returns a member; nil if it is missing or null.
    func optional(_ key: String) throws(AcceptanceReportError) -> Member? {
        guard case .object(let object) = value.kind else { throw wrong("an object") }
        guard let member = object[key], member.kind != .null else { return nil }
        return Member(member, path.isEmpty ? key : "\(path).\(key)")
    }

    func member(_ key: String) throws(AcceptanceReportError) -> Member {
        if let member = try optional(key) { return member }
        let owner = path.isEmpty ? "the report" : "\"\(path)\""
        throw AcceptanceReportError(
            location: location, message: "\(owner) lacks the member \"\(key)\"")
    }

    func values(most count: Int) throws(AcceptanceReportError) -> [JSONValue] {
        guard case .array(let values) = value.kind, values.count <= count else {
            throw wrong("an array of at most \(count) elements")
        }
        return values
    }

    func elements(most count: Int) throws(AcceptanceReportError) -> [Member] {
        try values(most: count).enumerated().map { Member($1, "\(path)[\($0)]") }
    }

    /// Throws an error if the optional member "verdict" contradicts the verdicts that it is derived
    /// from.
    func checkVerdict(
        _ verdict: AcceptanceCheck.Verdict, _ meaning: String
    ) throws(AcceptanceReportError) {
        guard let member = try optional("verdict") else { return }
        let found: AcceptanceCheck.Verdict = try member.name()
        guard found == verdict else { throw member.wrong("\"\(verdict)\", \(meaning)") }
    }

    // MARK: Contents

    /// Returns text as a single line of limited length.
    func text() throws(AcceptanceReportError) -> String {
        guard case .string(let text) = value.kind else { throw wrong("a string") }
        return text.asLineOfStranger
    }

    /// Returns the case of an enumeration that the text names.
    func name<Name: RawRepresentable & CaseIterable>() throws(AcceptanceReportError) -> Name
    where Name.RawValue == String {
        guard case .string(let text) = value.kind, let name = Name(rawValue: text) else {
            let names = Name.allCases.map { "\"\($0.rawValue)\"" }
            throw wrong("one of \(names.joined(separator: ", "))")
        }
        return name
    }

    func number() throws(AcceptanceReportError) -> Double {
        guard let number = value.number else { throw wrong("a number") }
        return number
    }

    /// Returns the duration of a step, which is at most a day.
    func seconds() throws(AcceptanceReportError) -> Double {
        let seconds = try number()
        guard (0...86_400).contains(seconds) else { throw wrong("a number from 0 to 86400") }
        return seconds
    }

    func integer<Integer: FixedWidthInteger>() throws(AcceptanceReportError) -> Integer {
        guard case .number(let text) = value.kind, let number = Integer(text) else {
            throw wrong("a whole number from \(Integer.min) to \(Integer.max)")
        }
        return number
    }

    /// Returns a configuration; nil if the text is empty.
    func configuration() throws(AcceptanceReportError) -> ActuatorConfiguration? {
        guard case .string(let text) = value.kind else { throw wrong("a string") }
        guard !text.isEmpty else { return nil }
        guard let bytes = [UInt8](hexadecimal: text.utf8),
            let configuration = try? ActuatorConfiguration(bytes: bytes)
        else { throw wrong("the bytes of a configuration in hexadecimal, or an empty string") }
        return configuration
    }
}
