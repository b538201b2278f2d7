// SearchOptions: which ports a command may open that nobody has named.

import ArgumentParser
import BridgeLink
import HapticBridge

/// Whether a search opens adapters too, behind which there may be something else than a board.
struct SearchOptions: ParsableArguments {
    @Flag(
        help: ArgumentHelp(
            "Search adapters between USB and serial too (CH340, FTDI, CP210x, PL2303).",
            discussion: """
                Opening resets many devices, printers and instruments among them, so that an adapter \
                is opened only if its port is named, or by this option. A board that has answered is \
                remembered, and found without the option from then on.
                """))
    var searchAdapters = false

    /// The ports there are. Throws `ToolError`.
    static func ports() throws(ToolError) -> SearchedPorts {
        do {
            return try BoardSearch.ports()
        } catch {
            throw ToolError(error, port: nil)
        }
    }

    /// Searches, and once more with the adapters if there is no board elsewhere and the user, who is
    /// asked in a terminal, wants it.
    func searching(_ search: (_ searchesAdapters: Bool) throws -> HapticBoard) throws -> HapticBoard
    {
        do {
            return try search(searchAdapters)
        } catch let error as BoardSearchError where error.mayBeAtAdapter {
            guard Self.confirmed(error.unopened) else { throw error }
            return try search(true)
        }
    }

    /// The port that is named, else `BRIDGE_PORT`, else the only one that may be a board, answering or
    /// not. Opens none. Throws `ToolError`.
    func port(named path: String?, serial: String?) throws(ToolError) -> String {
        if let path { return path }
        let ports = try Self.ports()
        var candidates: [PortDescription]
        if let serial {
            candidates = ports.all.filter { $0.usb?.serialNumber == serial }
        } else if let path = BoardSearch.environmentPort {
            return path
        } else {
            candidates = ports.searched(searchesAdapters: searchAdapters)
            if candidates.isEmpty, Self.confirmed(ports.unopened) { candidates = ports.unopened }
        }
        if candidates.count == 1 { return candidates[0].path }
        throw Self.unclear(candidates, ports)
    }

    private static func unclear(
        _ candidates: [PortDescription], _ ports: SearchedPorts
    ) -> ToolError {
        let named = candidates.isEmpty ? ports.unopened : candidates
        var error = ToolError(
            .noBoard,
            candidates.isEmpty
                ? "no port is known to be the board's" : "several ports may be the board's",
            advice: "name the port with --port PATH; `bridge list` shows the ports there are")
        if candidates.isEmpty, !named.isEmpty {
            error.advice.append("--search-adapters takes the adapter, if there is one only")
        }
        error.advice = named.map { "\($0.path) (\($0.name))" } + error.advice
        return error
    }

    /// Asks whether these adapters may be opened; no if nobody sits at a terminal.
    private static func confirmed(_ adapters: [PortDescription]) -> Bool {
        guard !adapters.isEmpty, Terminal.standardInput.isTerminal,
            Terminal.standardError.isTerminal
        else { return false }
        let names = adapters.map { "  \($0.path) (\($0.name))" }.joined(separator: "\n")
        Terminal.standardError.write(
            "No board is known, but something else may be one:\n\(names)\n"
                + "Opening resets many devices; what another program uses is left alone.\n")
        return Terminal.confirms("Open it and ask whether it is a board?")
    }
}

extension BoardSearchError {
    /// Whether no board was found, but adapters were left alone.
    fileprivate var mayBeAtAdapter: Bool {
        [.noCandidate, .noAnswer, .noMatch].contains(reason) && !unopened.isEmpty
    }
}

/// The id of a board as `bridge info` shows it: up to 16 hexadecimal digits.
struct BoardID: ExpressibleByArgument {
    let value: UInt64

    init?(argument: String) {
        guard let value = UInt64(argument, radix: 16), value != 0 else { return nil }
        self.value = value
    }
}
