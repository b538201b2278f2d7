// bridge doctor: finds problems and the commands that fix them.

import ArgumentParser
import BridgeLink
import HapticBridge
import JSONText
import ToolSupport

struct Doctor: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Find out why a board does not play, and what to do about it.",
        discussion: """
            Checks ports, permissions, interfering programs, the user's settings, the folder \
            through which programs find each other, the firmware, the driver, its supply and its \
            actuator. The exit status is the status of the first problem, or 0 if there is no \
            problem.

            Examples:
              bridge doctor
              bridge doctor --port /dev/ttyUSB0 --json
            """)

    @OptionGroup(title: "Board options") var board: BoardOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func run() throws {
        var findings = board.virtual ? [] : SystemCheck.findings(try listed())
        let isBlocked = findings.contains { $0.weight == .problem }
        findings += SystemCheck.settings() + SystemCheck.runtimeFolder()
        if !isBlocked { findings += boardFindings() }
        try output.result(
            ["schema": "bridge.doctor/1", "findings": .array(findings.map(\.json))],
            text: findings.map(\.lines).joined(separator: "\n"))
        if let problem = findings.first(where: { $0.weight == .problem }) {
            throw ToolError(problem.status, "")
        }
    }

    /// Returns all ports, or only the selected port if it exists. Throws `ToolError`.
    private func listed() throws(ToolError) -> SystemCheck.Ports {
        let ports = try PortSearch.ports()
        let note = ports.remembered.note
        if let serial = board.connected.serial {
            return .init(opened: ports.all.filter { $0.usb?.serialNumber == serial }, note: note)
        }
        let environmentPort = board.isChosen ? nil : BoardSearch.environmentPort
        if let path = try board.connected.onlyPort() ?? environmentPort {
            return .init(opened: ports.all.filter { $0.path == path }, note: note)
        }
        let opened = ports.searched(searchesAdapters: board.connected.searchAdapters)
        let unopened = ports.unopened.filter { !opened.contains($0) }
        return .init(opened: opened, unopened: unopened, note: note)
    }

    private func boardFindings() -> [Finding] {
        do {
            return try board.withBoard(.shared) { try BoardCheck.findings($0) }
        } catch {
            return [Finding(error)]
        }
    }
}
