// OSCOptions: where messages are received, and what they do.

import ArgumentParser
import Foundation
import HapticBridge
import OpenSoundControl

struct OSCOptions: ParsableArguments {
    @Option(
        name: .customLong("osc"), defaultAsFlag: "9001",
        help: ArgumentHelp(
            "Receive messages of Open Sound Control (UDP) at a port: 9001 unless one is given.",
            discussion: """
                Only programs on this computer reach it, unless an IP address is given too: \
                192.168.0.2:9001, or 0.0.0.0:9001 for all addresses. Everyone on that network can \
                then play. 0 is a port that is free.
                """,
            valueName: "[host:]port"))
    var osc: String?

    @Option(
        name: .customLong("osc-rules"),
        help: ArgumentHelp(
            "Rules for the addresses of other programs: a JSON file, or one of vrchat, reahaptic.",
            discussion: "May be given several times; the first rule that matches counts.",
            valueName: "file"))
    var oscRules: [String] = []

    @Option(
        name: .customLong("osc-hold"), parsing: .unconditional,
        help: ArgumentHelp(
            "The time in seconds after which a level falls to rest unless a message renews it. Defaults to 15.",
            valueName: "seconds"))
    var oscHold: Double?

    /// The time after which a level falls to rest, in seconds.
    var hold: Double { oscHold ?? 15 }

    func validate() throws {
        guard osc != nil || oscRules.isEmpty else {
            throw ValidationError("--osc-rules needs --osc.")
        }
        guard osc != nil || oscHold == nil else { throw ValidationError("--osc-hold needs --osc.") }
        guard (0.1...3600).contains(hold) else {
            throw ValidationError("--osc-hold is a time from 0.1 to 3600 seconds.")
        }
        guard osc == nil || parsedPlace != nil else {
            throw ValidationError(
                "--osc \(osc ?? ""): a port from 0 to 65535 is expected, or an IP address and a "
                    + "port, such as 0.0.0.0:9001.")
        }
    }

    /// The IP address and the port, which `validate` has checked.
    var place: (host: String, port: UInt16) { parsedPlace ?? ("127.0.0.1", 0) }

    private var parsedPlace: (host: String, port: UInt16)? {
        let parts = (osc ?? "").split(separator: ":", omittingEmptySubsequences: false)
        guard let last = parts.last, let port = UInt16(last), parts.count <= 2 else { return nil }
        return (parts.count == 2 ? String(parts[0]) : "127.0.0.1", port)
    }

    /// The rules of all files, in order. Throws `ToolError`.
    func rules() throws(ToolError) -> [OSCRule] {
        var rules: [OSCRule] = []
        for name in oscRules {
            let map = OSCMap(rawValue: name)
            let bytes = if let map { map.file } else { try InputFile(name).bytes }
            do {
                rules += try OSCRule.read(bytes)
            } catch {
                throw ToolError(
                    .badData,
                    error.location.map { "\(name):\($0): \(error.message)" }
                        ?? "\(name): \(error.message)",
                    advice:
                        "the manual describes the file under \"Messages of other programs (OSC)\", Rules"
                )
            }
        }
        for rule in rules { try check(rule) }
        return rules
    }

    private func check(_ rule: OSCRule) throws(ToolError) {
        if let name = rule.pattern, NamedPattern(name) == nil {
            throw ToolError(
                .badData, "\(rule.address): there is no pattern \(name)",
                advice: "`bridge patterns` lists them")
        }
        if let locality = rule.locality, !HapticLocality.known.map(\.rawValue).contains(locality) {
            throw ToolError(
                .badData, "\(rule.address): there is no locality \(locality)",
                advice: HapticLocality.known.map(\.rawValue).joined(separator: ", "))
        }
    }
}
