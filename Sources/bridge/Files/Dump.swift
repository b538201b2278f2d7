// bridge dump: prints the event stream of a file in readable form.

import ArgumentParser
import HapticBoards
import HapticCompiler
import JSONText
import ToolSupport

struct Dump: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the event stream of a file.",
        discussion: """
            Prints the commands that the board receives, one event per line, with its time in \
            milliseconds. An AHAP file is compiled first. Levels, intensities and sharpnesses \
            range from 0 to 255.

            Examples:
              bridge dump heartbeat.ahap
              bridge dump --bytes heartbeat.hbes
            """)

    @Argument(help: "AHAP or compiled files, or - for standard input.")
    var files: [String]

    @Flag(help: "Also print the bytes of the event code.")
    var bytes = false

    @OptionGroup(title: "Reading options") var reading: ReadingOptions
    @OptionGroup(title: "Compiling options") var compiling: CompilingOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    private var profileName: String { compiling.profile ?? DeviceProfile.reference.name }

    func run() throws {
        for path in files {
            let profile = try CompilingOptions.deviceProfile(named: profileName)
            let pattern = try PatternFile(
                path, reading, for: profile, options: compiling.compiler)
            pattern.remarkRepairs(output)
            try output.result(json(pattern), text: text(pattern))
        }
    }

    private func text(_ pattern: PatternFile) -> String {
        let origin = pattern.isCompiled ? "compiled file" : "AHAP, profile \(profileName)"
        let header =
            "\(pattern.name): \(origin), tick \(pattern.tick) µs, "
            + "\(pattern.bytes.count.text("byte")), \(EventCounts(pattern).text)"
        return ([header] + pattern.listing.lines + (bytes ? hexadecimal(pattern.bytes) : []))
            .joined(separator: "\n")
    }

    /// Returns lines of sixteen bytes, each line with its offset.
    private func hexadecimal(_ bytes: [UInt8]) -> [String] {
        stride(from: 0, to: bytes.count, by: 16).map { start in
            let offset = String(start, radix: 16)
            let padding = String(repeating: "0", count: max(0, 6 - offset.count))
            let row = bytes[start..<min(start + 16, bytes.count)]
            return "\(padding)\(offset)  " + row.map(\.hexadecimal).joined(separator: " ")
        }
    }

    private func json(_ pattern: PatternFile) -> JSONValue {
        [
            "schema": "bridge.dump/1",
            "file": .string(pattern.name),
            "compiled": .bool(pattern.isCompiled),
            "tick_us": .number(pattern.tick),
            "event_code_bytes": .number(pattern.bytes.count),
            "events": .array(pattern.events.map { $0.json(tick: pattern.tick) }),
            "bytes": bytes ? .string(pattern.bytes.hexadecimal) : nil,
        ]
    }
}

extension StreamEvent {
    /// Returns the event as JSON, with times and durations in microseconds.
    func json(tick length: Int64) -> JSONValue {
        func time(_ ticks: Ticks) -> JSONValue { .number(Int64(ticks) * length) }
        func event(_ name: String, _ fields: KeyValuePairs<String, JSONValue> = [:]) -> JSONValue {
            let members = [("time_us", time(tick)), ("event", .string(name))] + fields.map { $0 }
            return JSONValue(.object(JSONObject(members.map { JSONObject.Member($0.0, $0.1) })))
        }
        switch content {
        case .tap(let intensity, let sharpness):
            return event(
                "tap", ["intensity": .number(intensity), "sharpness": .number(sharpness)])
        case .level(let level): return event("level", ["level": .number(level)])
        case .levelSharpness(let level, let sharpness):
            return event("level", ["level": .number(level), "sharpness": .number(sharpness)])
        case .levelRamp(let level, let duration):
            return event("level-ramp", ["level": .number(level), "duration_us": time(duration)])
        case .sharpnessRamp(let sharpness, let duration):
            return event(
                "sharpness-ramp", ["sharpness": .number(sharpness), "duration_us": time(duration)])
        case .tapGain(let gain, let duration):
            return event("tap-gain", ["gain": .number(gain), "duration_us": time(duration)])
        case .end: return event("end")
        }
    }
}
