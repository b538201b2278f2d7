// bridge doctor: what is wrong, and the command that cures it.

import AHAP
import ArgumentParser
import BridgeLink
import HapticBridge

struct Doctor: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Find out what keeps a board from playing, and say what to do.",
        discussion: """
            Looks at ports, permissions, programs that disturb, the user's settings, the firmware, the \
            driver, its supply and its actuator. Ends with the exit status of the first problem, 0 if there is none.

            Examples:
              bridge doctor
              bridge doctor --port /dev/ttyUSB0 --json
            """)

    @OptionGroup(title: "Board options") var board: BoardOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func run() throws {
        var findings = board.virtual ? [] : SystemCheck.findings(try listed())
        let isBlocked = findings.contains { $0.weight == .problem }
        findings += SystemCheck.settings()
        if !isBlocked { findings += boardFindings() }
        try output.result(
            ["schema": "bridge.doctor/1", "findings": .array(findings.map(\.json))],
            text: findings.map(\.lines).joined(separator: "\n"))
        if let problem = findings.first(where: { $0.weight == .problem }) {
            throw ToolError(problem.status, "")
        }
    }

    /// What is found of the ports, or of the one that is named if it is among them. Throws `ToolError`.
    private func listed() throws(ToolError) -> SystemCheck.Ports {
        let ports = try SearchOptions.ports()
        let note = ports.remembered.note
        if let serial = board.serial {
            return .init(opened: ports.all.filter { $0.usb?.serialNumber == serial }, note: note)
        }
        let environmentPort = board.isChosen ? nil : BoardSearch.environmentPort
        if let path = try board.onlyPort() ?? environmentPort {
            return .init(opened: ports.all.filter { $0.path == path }, note: note)
        }
        let opened = ports.searched(searchesAdapters: board.search.searchAdapters)
        let unopened = ports.unopened.filter { !opened.contains($0) }
        return .init(opened: opened, unopened: unopened, note: note)
    }

    private func boardFindings() -> [Finding] {
        do {
            return try board.withBoard { try BoardCheck.findings($0) }
        } catch {
            return [Finding(error)]
        }
    }
}
