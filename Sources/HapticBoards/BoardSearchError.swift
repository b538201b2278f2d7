// BoardSearchError: the reason why no board was chosen, and the result for every port.

import BridgeLink
import SerialPorts

/// An error that is thrown when a search cannot choose a board.
public struct BoardSearchError: Error {
    /// The reason why no board was chosen. The advice depends on this reason.
    public enum Reason: Hashable, Sendable {
        /// This computer has no serial port.
        case noPort
        /// This computer has serial ports, but no port has the USB id of a board, and no board has
        /// answered on any of the ports before.
        case noCandidate
        /// There are ports that may have a board, but this user may not open them.
        case noPermission
        /// There are ports that may have a board, but other programs use them.
        case busy
        /// The board that answered uses a different version of the protocol, or violates it.
        case versionRefused
        /// The ports that may have a board were probed, but no board answered.
        case noAnswer
        /// More than one board answered, or several boards have the requested serial number.
        case severalAnswer
        /// No board has the requested serial number or id.
        case noMatch
    }

    /// The reason why no board was chosen.
    public var reason: Reason
    /// The result for every port, one string per port.
    public var findings: [String]
    /// The adapters that were not opened because the search did not include adapters. The adapters
    /// may be connected to a board or to another device.
    public var unopened: [PortDescription]

    /// Creates an error from the answers of a search.
    ///
    /// - Parameter reason: the reason why there is no board; nil to derive the reason from the
    ///   answers.
    package init(_ reason: Reason? = nil, answers: [BoardSearch.Answer], ports: SearchedPorts) {
        self.reason = reason ?? Self.reason(for: answers, ports: ports)
        let asked = Dictionary(uniqueKeysWithValues: answers.map { ($0.port.path, $0.outcome) })
        findings = ports.all.map {
            "\($0.path) (\($0.name)): \(Self.finding(asked[$0.path], $0))"
        }
        if let note = ports.remembered.note { findings.append(note) }
        unopened = ports.unopened.filter { asked[$0.path] == nil }
    }

    private static func reason(for answers: [BoardSearch.Answer], ports: SearchedPorts) -> Reason {
        if ports.all.isEmpty { return .noPort }
        if answers.isEmpty {
            let searched = ports.searched()
            if searched.isEmpty { return .noCandidate }
            return searched.contains { $0.access == .noPermission } ? .noPermission : .busy
        }
        if answers.contains(where: \.isBoard) { return .severalAnswer }
        if answers.contains(where: \.isRefusal) { return .versionRefused }
        if answers.contains(where: { $0.wasOpened }) { return .noAnswer }
        return answers.contains { $0.isForbidden } ? .noPermission : .busy
    }

    private static func finding(
        _ outcome: Result<HapticBoard, any Error>?, _ port: PortDescription
    ) -> String {
        switch outcome {
        case .success(let board)?: "a board, firmware \(board.welcome.firmwareVersion)"
        case .failure(let error as TransportError)?: error.reasonWithoutPath(port.path)
        case .failure(let error)?: "\(error)"
        case nil where port.known?.role == .bootloader:
            "not opened: the board is in its boot loader; reset the board, or flash the firmware"
        case nil: "not opened: \(reasonNotOpened(port))"
        }
    }
}

extension BoardSearchError {
    /// Returns the reason why a port was not opened.
    private static func reasonNotOpened(_ port: PortDescription) -> String {
        switch port.access {
        case .locked(let holder): "in use by \(holder)"
        case .noPermission: "no permission"
        case .free where port.isCandidate: "the device may not be a board"
        case .free: "not the USB id of a known board"
        }
    }
}

extension BoardSearchError: CustomStringConvertible {
    /// The headline, the result for every port, and the advice.
    public var description: String {
        ([headline] + findings.map { "  \($0)" } + remedies).joined(separator: "\n")
    }

    /// The instruction for reaching a board behind an adapter, in one line; nil if no adapter was
    /// skipped.
    public var permission: String? {
        guard !unopened.isEmpty else { return nil }
        return
            "for a board behind an adapter, choose its port with \(Self.ways) (only the first time), "
            + "or search all adapters with `bridge info --search-adapters`"
    }

    /// The ways to choose a port.
    private static let ways = "--port PATH or \(BoardSearch.portVariable)"

    /// The advice and the instruction, one string each, without repetition.
    public var remedies: [String] {
        guard let permission else { return [advice] }
        return reason == .noCandidate ? [permission] : [advice, permission]
    }

    /// The result of the search, in one line.
    public var headline: String {
        switch reason {
        case .noPort: "no board: this computer has no serial port"
        case .noCandidate:
            "no board: no port has the USB id of a known board, and no board has answered before"
        case .noPermission: "no board: no permission to open the port"
        case .busy: "no board: another program uses the port"
        case .versionRefused:
            "no board: the board that answers uses a different version of the protocol, "
                + "or violates it"
        case .noAnswer: "no board: no port answers"
        case .severalAnswer: "several boards answer"
        case .noMatch: "no board has the requested serial number or id"
        }
    }

    /// The action that the user should take, in one line.
    public var advice: String {
        switch reason {
        case .noPort: "plug in a board, with a cable that carries data and not only power"
        case .noCandidate:
            "if a board is on one of the listed ports, choose that port with \(Self.ways)"
        case .noPermission:
            "add yourself to the group that owns the port (dialout on Debian and Ubuntu, "
                + "uucp on Arch) and log in again"
        case .busy: "end the program that uses the port"
        case .versionRefused: "flash the firmware of this version: `bridge flash`"
        case .noAnswer:
            "flash the firmware; if the board is on another port, choose it with \(Self.ways)"
        case .severalAnswer: "choose the port of one board with \(Self.ways)"
        case .noMatch: "`bridge list --probe` shows the boards"
        }
    }
}

extension PortDescription {
    /// The known name of the device, or otherwise the system's description, with the USB id if
    /// there is one.
    public var name: String {
        let name = known?.name ?? description
        return usb.map { "\(name), \($0.id)" } ?? name
    }
}

extension BoardSearch.Answer {
    fileprivate var isBoard: Bool { (try? outcome.get()) != nil }

    fileprivate var isRefusal: Bool {
        switch outcome {
        case .failure(LinkEnd.versionRefused), .failure(LinkEnd.welcomeInvalid): true
        default: false
        }
    }

    /// True if the port could be opened.
    fileprivate var wasOpened: Bool {
        guard case .failure(let error) = outcome else { return true }
        switch error as? TransportError {
        case .busy?, .noPermission?: return false
        default: return true
        }
    }

    fileprivate var isForbidden: Bool {
        guard case .failure(let error as TransportError) = outcome,
            case .noPermission = error
        else { return false }
        return true
    }
}

extension TransportError {
    /// Returns the description without the path at its beginning.
    fileprivate func reasonWithoutPath(_ path: String) -> String {
        let prefix = "\(path): "
        let text = "\(self)"
        return text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : text
    }
}
