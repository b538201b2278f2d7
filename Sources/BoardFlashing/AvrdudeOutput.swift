// AvrdudeOutput: parses the output of avrdude while it runs, and explains its failures.

import ToolSupport

/// The text that avrdude has printed so far.
struct AvrdudeOutput {
    private(set) var text = ""

    mutating func append(_ bytes: [UInt8]) { text += String(decoding: bytes, as: UTF8.self) }

    /// True if a boot loader has answered.
    var hasConnected: Bool { text.contains("initialized") || text.contains("ignature = 0x") }

    /// The progress, 0 to 1: up to 0.5 while avrdude writes, and from 0.5 while it verifies.
    var progress: Double {
        Self.bar(after: "Writing | ", in: text) / 2 + Self.bar(after: "Reading | ", in: text) / 2
    }

    /// Returns the progress of a bar, 0 to 1. If the output of avrdude is not a terminal, avrdude
    /// prints the bar one character at a time, 50 in total.
    private static func bar(after title: String, in text: String) -> Double {
        guard let start = text.ranges(of: title).last?.upperBound else { return 0 }
        return Double(min(50, text[start...].prefix { $0 == "#" }.count)) / 50
    }

    /// The reason why avrdude failed.
    enum Failure: Equatable {
        case noPort, noPermission, busy, noSync, verify
        /// The chip has an unexpected signature, given as six digits.
        case wrongChip(signature: String)
        case other
    }

    var failure: Failure {
        let lowercase = text.lowercased()
        func has(_ words: String...) -> Bool { words.contains { lowercase.contains($0) } }
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

    /// The last lines of the output, which are shown if the failure is unknown.
    var lastLines: [String] {
        text.split(whereSeparator: \.isNewline).map(String.init)
            .filter { !$0.contains("avrdude done") && !$0.contains("| ") }.suffix(3)
    }
}

extension AvrdudeOutput.Failure {
    /// Returns the error that is reported to the user.
    func error(of avrdude: Avrdude, lastLines: [String]) -> ToolError {
        let port = avrdude.port
        switch self {
        case .noPort:
            return ToolError(
                .noBoard, "\(port): the port no longer exists",
                advice: "`bridge list` shows the ports")
        case .noPermission:
            return ToolError(.noPermission, "\(port): no permission", advice: "run `bridge doctor`")
        case .busy:
            return ToolError(
                .busy, "\(port): in use by another program",
                advice: "end the program that uses the port")
        case .noSync:
            return ToolError(
                .noBootLoader,
                "\(port): no boot loader answers at \(avrdude.baud) baud",
                advice: Self.resemblance(of: avrdude.board.name),
                "disconnect everything from pins 0 and 1 of the board, press its reset button and "
                    + "try again"
            )
        case .wrongChip(let signature):
            return ToolError(
                .wrongBoard,
                "\(port): the board has \(Self.chipName(signature)), not an ATmega328P",
                advice:
                    "the firmware runs on an Uno or Nano with an ATmega328P; nothing was written"
            )
        case .verify:
            return ToolError(
                .inputOutput,
                "\(port): verification failed: the flash memory differs from the image",
                advice: "flash the board again; if the verification fails again, the flash memory "
                    + "is worn out")
        case .other:
            var error = ToolError(.inputOutput, "\(port): avrdude failed; its last output:")
            error.advice = lastLines
            return error
        }
    }

    /// Returns advice on similar boards to try if the boot loader does not answer.
    private static func resemblance(of name: String) -> String {
        switch name {
        case "uno":
            "if the board is a Nano or a clone of an Uno, try --board nano or --board nano-old"
        case "nano": "Nanos with the old boot loader need --board nano-old"
        default: "Nanos with the new boot loader need --board nano"
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
