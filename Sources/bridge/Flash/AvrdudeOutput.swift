// AvrdudeOutput: what avrdude prints, read while it prints it, and what its failures mean.

/// The text that avrdude has printed so far.
struct AvrdudeOutput {
    private(set) var text = ""

    mutating func append(_ bytes: [UInt8]) { text += String(decoding: bytes, as: UTF8.self) }

    /// How far it is: writing is the first half, verifying the second.
    var progress: Double {
        Self.bar(after: "Writing | ", in: text) / 2 + Self.bar(after: "Reading | ", in: text) / 2
    }

    /// Off a terminal avrdude prints 50 characters, one by one.
    private static func bar(after title: String, in text: String) -> Double {
        guard let start = text.ranges(of: title).last?.upperBound else { return 0 }
        return Double(min(50, text[start...].prefix { $0 == "#" }.count)) / 50
    }

    /// Why it failed.
    enum Failure: Equatable {
        case noPort, noPermission, busy, noSync, verify
        /// The signature that the chip has, six digits.
        case wrongChip(signature: String)
        case other
    }

    var failure: Failure {
        let said = text.lowercased()
        func has(_ words: String...) -> Bool { words.contains { said.contains($0) } }
        if has("expected signature", "double check chip") {
            return .wrongChip(signature: signature ?? "unknown")
        }
        if has("verification mismatch", "verification error", "content mismatch") { return .verify }
        if has("cannot open port", "can't open device", "cannot open device") {
            if has("permission denied") { return .noPermission }
            if has("resource busy") { return .busy }
            return .noPort
        }
        if has("not in sync", "not responding", "unable to open programmer", "timeout") {
            return .noSync
        }
        return .other
    }

    private var signature: String? {
        text.ranges(of: "ignature = 0x").last.map { String(text[$0.upperBound...].prefix(6)) }
    }

    /// The last lines, for failures that are not known.
    var lastLines: [String] {
        text.split(whereSeparator: \.isNewline).map(String.init)
            .filter { !$0.contains("avrdude done") && !$0.contains("| ") }.suffix(3)
    }
}

extension AvrdudeOutput.Failure {
    /// What the user is told.
    func error(port: String, board: FlashBoard, lastLines: [String]) -> ToolError {
        switch self {
        case .noPort:
            return ToolError(
                .noBoard, "\(port): no such port any more",
                advice: "`bridge list` shows the ports there are")
        case .noPermission:
            return ToolError(.noPermission, "\(port): no permission", advice: "run `bridge doctor`")
        case .busy:
            return ToolError(
                .busy, "\(port): in use by another program", advice: "end that program")
        case .noSync:
            return ToolError(
                .noBootLoader,
                "\(port): no boot loader answers at \(board.baud) baud", advice: board.resemblance,
                "press the board's reset button and try again; unplug what is at its pins 0 and 1")
        case .wrongChip(let signature):
            return ToolError(
                .wrongBoard,
                "\(port): the board has \(Self.chipName(signature)), not an ATmega328P",
                advice:
                    "the firmware runs on an Uno or Nano with an ATmega328P; nothing was written"
            )
        case .verify:
            return ToolError(
                .inputOutput, "\(port): what was flashed does not read back as it was written",
                advice: "flash it again; if it stays so, the chip's flash memory is worn out")
        case .other:
            var error = ToolError(.inputOutput, "\(port): avrdude failed; its last words:")
            error.advice = lastLines
            return error
        }
    }

    private static func chipName(_ signature: String) -> String {
        let names = [
            "1e9516": "an ATmega328PB", "1e9514": "an ATmega328", "1e9406": "an ATmega168",
            "1e940b": "an ATmega168P", "1e9587": "an ATmega32U4", "1e9801": "an ATmega2560",
        ]
        return names[signature] ?? "a chip of signature \(signature)"
    }
}
