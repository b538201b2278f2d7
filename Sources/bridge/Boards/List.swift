// bridge list: lists the serial ports, and marks the ports that may belong to boards.

import ArgumentParser
import HapticBridge
import JSONText
import SerialPorts
import ToolSupport

struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the serial ports, and mark the ports that may belong to boards.",
        discussion: """
            By default, opens no port, because opening a port resets some boards. A board that \
            another program serves is queried through that program. With --probe, the command \
            opens ports with the USB id of a known board, and ports where a board has answered \
            before, and queries their identity. With --search-adapters, this includes USB-serial \
            adapters. The command opens no other port, and never a port that another program uses.

            Examples:
              bridge list
              bridge list --probe --json
            """)

    @Flag(help: "Query the identity of the ports that may belong to boards.")
    var probe = false

    @Flag(help: .searchAdapters)
    var searchAdapters = false

    @OptionGroup(title: "Output options") var output: OutputOptions

    func run() throws {
        let ports = try PortSearch.ports()
        let searched = ports.searched(searchesAdapters: searchAdapters)
        let answers = probe || searchAdapters ? BoardSearch.probe(searched) : []
        let rows = ports.all.map { port in
            ListedPort(
                port: port, isSearched: ports.isSearched(port),
                answer: served(port) ?? answers.first { $0.port.path == port.path }?.outcome)
        }
        defer { for row in rows { row.board?.close() } }
        if let note = ports.remembered.note { output.remark(note) }
        let drives = SystemCheck.bootLoaders()
        for drive in drives { output.remark("\(drive.text): \(drive.cure[0])") }
        if ports.all.isEmpty, !output.json {
            return output.remark(
                "this computer has no serial port; `bridge play --virtual` needs no port")
        }
        try output.result(
            ["schema": "bridge.list/1", "ports": .array(rows.map(\.json))], text: text(of: rows))
    }

    /// Returns the board at a port that another program serves; nil if no program serves it. The
    /// query does not open the port.
    private func served(_ port: PortDescription) -> Result<HapticBoard, any Error>? {
        guard case .locked = port.access else { return nil }
        return (try? HapticBoard.served(at: port.path)).map { .success($0) }
    }

    private func text(of rows: [ListedPort]) -> String {
        var table = Table(["PORT", "DEVICE", "USB", "ACCESS", "BOARD"])
        for row in rows {
            table.append(
                row.port.path, row.port.known?.name ?? row.port.description,
                row.port.usb?.id ?? "-", row.access, row.boardText)
        }
        return table.text
    }
}

/// A port in the list, with the answer of its board if the board was queried.
struct ListedPort {
    let port: PortDescription
    /// True if a search opens the port by default.
    let isSearched: Bool
    let answer: Result<HapticBoard, any Error>?

    var board: HapticBoard? { try? answer?.get() }

    var access: String {
        switch port.access {
        case .free: "free"
        case .noPermission: "no permission"
        case .locked(let holder): "in use by \(holder)"
        }
    }

    var boardText: String {
        switch answer {
        case .success(let board)?:
            "\(BoardFacts.id(board.welcome)), firmware \(board.welcome.firmwareVersion), "
                + Int(board.welcome.actuators).text("actuator") + Self.localities(of: board)
                + Self.kind(of: board)
        case .failure(let error)?: "none: \(ToolError(error, port: nil).message)"
        case nil where isSearched: "perhaps"
        case nil where port.isCandidate: "may be a board; to query it, run bridge info --port PATH"
        case nil where port.known?.role == .bootloader: "in its boot loader"
        case nil: "-"
        }
    }

    /// Returns the kind of a board in parentheses; an empty text if the board does not report its
    /// kind.
    private static func kind(of board: HapticBoard) -> String {
        board.welcome.kind == .unknown ? "" : " (\(board.welcome.kind))"
    }

    /// Returns the localities of a board's actuators after a colon; an empty text if the board has
    /// only one actuator.
    private static func localities(of board: HapticBoard) -> String {
        guard board.welcome.actuators > 1, let actuators = try? board.actuators() else { return "" }
        let names = HapticLocality.supported(by: actuators).map(\.rawValue)
        return ": " + names.joined(separator: ", ")
    }

    var json: JSONValue {
        [
            "path": .string(port.path),
            "description": .string(port.known?.name ?? port.description),
            "usb": .string(port.usb?.id),
            "manufacturer": .string(port.usb?.manufacturer),
            "serial_number": .string(port.usb?.serialNumber),
            "access": .string(accessName),
            "candidate": .bool(port.isCandidate),
            "searched": .bool(isSearched),
            "board": board.map { BoardFacts.json($0.welcome) } ?? nil,
        ]
    }

    private var accessName: String {
        switch port.access {
        case .free: "free"
        case .noPermission: "no-permission"
        case .locked: "in-use"
        }
    }
}
