// BoardSearchError: why no board was chosen, with every port that was looked at.

import BridgeLink

/// No board could be chosen by itself.
public struct BoardSearchError: Error {
    /// The reason that says what to do.
    public enum Reason: Hashable, Sendable {
        /// This computer has no serial port at all.
        case noPort
        /// There are ports, but none with the USB id of a board, or where one has answered before.
        case noCandidate
        /// There are candidates, but this user may not open them.
        case noPermission
        /// There are candidates, but other programs have them.
        case busy
        /// A board answered that speaks another version of the protocol.
        case versionRefused
        /// Candidates were asked, and none answered as a board.
        case noAnswer
        /// More than one board answered, or has the serial number that was asked for.
        case severalAnswer
        /// No board has the serial number or the id that was asked for.
        case noMatch
    }

    public var reason: Reason
    /// Every port, with what came of it, one a line.
    public var findings: [String]
    /// Adapters that were not opened because nobody asked for it: a board may be behind them, or
    /// something else.
    public var unopened: [PortDescription]

    /// - Parameter reason: why there is no board, if the answers do not say that.
    init(_ reason: Reason? = nil, answers: [BoardSearch.Answer], ports: SearchedPorts) {
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
        if answers.contains(where: { $0.wasHeard }) { return .noAnswer }
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
            "not opened: in its bootloader; reset it, or flash the firmware"
        case nil: "not opened: \(reasonNotOpened(port))"
        }
    }
}

extension BoardSearchError {
    /// Why a port was left alone.
    private static func reasonNotOpened(_ port: PortDescription) -> String {
        switch port.access {
        case .locked(let holder): "in use by \(holder)"
        case .noPermission: "no permission"
        case .free where port.isCandidate: "it may be something else than a board"
        case .free: "not the USB id of a known board"
        }
    }
}

extension BoardSearchError: CustomStringConvertible {
    /// What was found, every port that was looked at, and what to do.
    public var description: String {
        ([headline] + findings.map { "  \($0)" } + [advice, permission].compactMap(\.self))
            .joined(separator: "\n")
    }

    /// How a board is reached that is behind an adapter, in one line; nil if there is no adapter that
    /// was left alone.
    public var permission: String? {
        guard !unopened.isEmpty else { return nil }
        return "a board behind an adapter is found once it has answered: name its port with --port "
            + "PATH or \(BoardSearch.portVariable), or have all adapters opened with "
            + "`bridge info --search-adapters`"
    }

    /// What was found, in one line.
    public var headline: String {
        switch reason {
        case .noPort: "no board: this computer has no serial port"
        case .noCandidate:
            "no board: no port has the USB id of a known board, or had a board before"
        case .noPermission: "no board: no permission to open its port"
        case .busy: "no board: another program has its port"
        case .versionRefused: "no board: the one that answers speaks another version"
        case .noAnswer: "no board: no port answers"
        case .severalAnswer: "several boards answer"
        case .noMatch: "no board has the serial number or id that is asked for"
        }
    }

    /// What to do about it, in one line.
    public var advice: String {
        switch reason {
        case .noPort: "plug a board in; some cables carry power only"
        case .noCandidate: "name the port if a board is at one of these"
        case .noPermission:
            "add yourself to the group that owns the port (dialout on Debian and Ubuntu, "
                + "uucp on Arch) and log in again"
        case .busy: "end the program that has the port"
        case .versionRefused: "put this version's firmware on it: `bridge flash`"
        case .noAnswer: "flash the firmware, or name the port if the board is at another one"
        case .severalAnswer: "name the port of one of them"
        case .noMatch: "look at those there are: `bridge list --probe`"
        }
    }
}

extension PortDescription {
    /// The known name, else the system's description, with the USB id.
    public var name: String {
        let name = known?.name ?? description
        return usb.map { "\(name), \($0.id)" } ?? name
    }
}

extension BoardSearch.Answer {
    fileprivate var isBoard: Bool { (try? outcome.get()) != nil }

    fileprivate var isRefusal: Bool {
        guard case .failure(LinkEnd.versionRefused) = outcome else { return false }
        return true
    }

    /// Whether the port could be opened.
    fileprivate var wasHeard: Bool {
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
    /// The description, which starts with the path, without it.
    fileprivate func reasonWithoutPath(_ path: String) -> String {
        let prefix = "\(path): "
        let text = "\(self)"
        return text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : text
    }
}
