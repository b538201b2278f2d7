// PortSearch: finds a board if the user does not name its port.

import ArgumentParser
import BridgeLink
import HapticBridge
import SerialPorts

/// A search for a board at the ports of this computer.
package struct PortSearch {
    /// True if the search includes USB-serial adapters, which may belong to devices other than
    /// boards.
    private let searchesAdapters: Bool

    package init(searchesAdapters: Bool) { self.searchesAdapters = searchesAdapters }

    /// Returns the ports of this computer. Throws `ToolError`.
    package static func ports() throws(ToolError) -> SearchedPorts {
        do {
            return try BoardSearch.ports()
        } catch {
            throw ToolError(error, port: nil)
        }
    }

    /// Searches for a board. If no board is found, asks the user in a terminal whether to search
    /// the adapters as well.
    func searching(_ search: (_ searchesAdapters: Bool) throws -> HapticBoard) throws -> HapticBoard
    {
        do {
            return try search(searchesAdapters)
        } catch let error as BoardSearchError where error.mayBeAtAdapter {
            guard Self.confirmed(error.unopened) else { throw error }
            return try search(true)
        }
    }

    /// Returns the named port. Without a name, returns the port in `BRIDGE_PORT` or the only port
    /// that may belong to a board. Does not check whether a board answers. Opens no port. Throws
    /// `ToolError`.
    package func port(named path: String?, serial: String?) throws(ToolError) -> String {
        if let path { return path }
        let ports = try Self.ports()
        var candidates: [PortDescription]
        if let serial {
            candidates = ports.all.filter { $0.usb?.serialNumber == serial }
        } else if let path = BoardSearch.environmentPort {
            return path
        } else {
            candidates = ports.searched(searchesAdapters: searchesAdapters)
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
                ? "no port is known to be a board" : "several ports may be a board",
            advice: "choose a port with --port PATH; `bridge list` shows the ports")
        if candidates.isEmpty, !named.isEmpty {
            error.advice.append(
                "or add --search-adapters: if only one USB-serial adapter is connected, it is used"
            )
        }
        error.advice = named.map { "\($0.path) (\($0.name))" } + error.advice
        return error
    }

    /// Asks the user whether the given adapters may be opened. Returns false if input or output is
    /// not a terminal.
    private static func confirmed(_ adapters: [PortDescription]) -> Bool {
        guard !adapters.isEmpty, Terminal.standardInput.isTerminal,
            Terminal.standardError.isTerminal
        else { return false }
        let names = adapters.map { "  \($0.path) (\($0.name))" }.joined(separator: "\n")
        Terminal.standardError.write(
            "No board is known, but one of these devices may be a board:\n\(names)\nOpening a port "
                + "resets many devices. Ports in use by other programs are not opened.\n"
        )
        return Terminal.confirms("Open these devices to check whether one of them is a board?")
    }
}

extension BoardSearchError {
    /// True if no board was found and some adapters were not opened.
    fileprivate var mayBeAtAdapter: Bool {
        [.noCandidate, .noAnswer, .noMatch].contains(reason) && !unopened.isEmpty
    }
}

/// The id of a board as `bridge info` shows it: up to 16 hexadecimal digits.
package struct BoardID: ExpressibleByArgument {
    package let value: UInt64

    package init?(argument: String) {
        guard let value = UInt64(argument, radix: 16), value != 0 else { return nil }
        self.value = value
    }
}

extension ArgumentHelp {
    /// The help of the flag `--search-adapters`.
    package static let searchAdapters = ArgumentHelp(
        "Include USB-serial adapters in the search (CH340, FTDI, CP210x, PL2303).",
        discussion: """
            Opening a port resets many devices, including printers and instruments. An adapter is \
            therefore opened only if its port is named or this option is given. When a board has \
            answered at an adapter, the adapter is remembered, and later searches include it \
            without the option.
            """)
}
