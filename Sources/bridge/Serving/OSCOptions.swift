// OSCOptions: the options for receiving Open Sound Control.

import ArgumentParser
import Foundation
import HapticBridge
import ProgramProtocols
import ToolSupport

struct OSCOptions: ParsableArguments {
    @Option(
        name: .customLong("osc"), defaultAsFlag: "9001",
        help: ArgumentHelp(
            "Receive Open Sound Control messages (UDP) at a port; the default is 9001.",
            discussion: """
                Only programs on this computer can send messages, unless an IP address is given \
                too: 192.168.0.2:9001, or 0.0.0.0:9001 for all addresses. Everyone on that network \
                can then play. Port 0 selects a free port.
                """,
            valueName: "[host:]port"))
    var osc: String?

    @Option(
        name: .customLong("osc-rules"),
        help: ArgumentHelp(
            "Rules for the addresses of other programs: a JSON file, vrchat or reahaptic.",
            discussion: "This option can be repeated; the first rule that matches applies.",
            valueName: "file"))
    var oscRules: [String] = []

    @Option(
        name: .customLong("osc-hold"), parsing: .unconditional,
        help: ArgumentHelp(
            "The time in seconds after which a level ends unless a message renews it. Default: 15.",
            valueName: "seconds"))
    var oscHold: Double?

    /// The time after which a level ends unless a message renews it, in seconds.
    var hold: Double { oscHold ?? 15 }

    func validate() throws {
        guard osc != nil || oscRules.isEmpty else {
            throw ValidationError("--osc-rules needs --osc.")
        }
        guard osc != nil || oscHold == nil else { throw ValidationError("--osc-hold needs --osc.") }
        guard (0.1...3600).contains(hold) else {
            throw ValidationError("--osc-hold must be 0.1 to 3600 seconds.")
        }
        guard osc == nil || parsedEndpoint != nil else {
            throw ValidationError(
                "--osc \(osc ?? ""): expected a port from 0 to 65535, or an IP address and a "
                    + "port, such as 0.0.0.0:9001.")
        }
    }

    /// The IP address and the port, validated by `validate`.
    var endpoint: (host: String, port: UInt16) { parsedEndpoint ?? ("127.0.0.1", 0) }

    private var parsedEndpoint: (host: String, port: UInt16)? {
        let parts = (osc ?? "").split(separator: ":", omittingEmptySubsequences: false)
        guard let last = parts.last, let port = UInt16(last), parts.count <= 2 else { return nil }
        return (parts.count == 2 ? String(parts[0]) : "127.0.0.1", port)
    }

    /// Returns the rules from all files, in order. Throws `ToolError`.
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
            var error = ToolError(.badData, "\(rule.address): there is no pattern \(name)")
            let near = suggestion(for: name, among: NamedPattern.names)
            error.advice = [near, "`bridge patterns` lists the available patterns"]
                .compactMap(\.self)
            throw error
        }
        let localities = HapticLocality.known.map(\.rawValue)
        if let locality = rule.locality, !localities.contains(locality) {
            var error = ToolError(.badData, "\(rule.address): there is no locality \(locality)")
            let near = suggestion(for: locality, among: localities)
            error.advice = [near, localities.joined(separator: ", ")].compactMap(\.self)
            throw error
        }
    }
}
