// BoardSearchError: why no board was chosen, with every port that was looked at.

import BridgeLink

/// No board could be chosen by itself.
public struct BoardSearchError: Error {
    /// The reason that says what to do.
    public enum Reason: Hashable, Sendable {
        /// This computer has no serial port at all.
        case noPort
        /// There are ports, but none of a board or adapter that is known.
        case noCandidate
        /// There are candidates, but this user may not open them.
        case noPermission
        /// There are candidates, but other programs have them.
        case busy
        /// A board answered that speaks another version of the protocol.
        case versionRefused
        /// Candidates were asked, and none answered as a board.
        case noAnswer
        /// More than one board answered.
        case severalAnswer
    }

    public var reason: Reason
    /// Every port, with what came of it, one a line.
    public var findings: [String]

    init(answers: [BoardSearch.Answer], ports: [PortDescription]) {
        reason = Self.reason(for: answers, ports: ports)
        let asked = Dictionary(uniqueKeysWithValues: answers.map { ($0.port.path, $0.outcome) })
        findings = ports.map { "\($0.path) (\($0.name)): \(Self.finding(asked[$0.path], $0))" }
    }

    private static func reason(for answers: [BoardSearch.Answer], ports: [PortDescription])
        -> Reason
    {
        if ports.isEmpty { return .noPort }
        if answers.isEmpty { return .noCandidate }
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
            "not asked: in its bootloader; reset it, or flash the firmware"
        case nil: "not asked: not the USB id of a known board"
        }
    }
}

extension BoardSearchError: CustomStringConvertible {
    /// What was found, every port that was looked at, and what to do.
    public var description: String {
        ([headline] + findings.map { "  \($0)" } + [advice]).joined(separator: "\n")
    }

    /// What was found, in one line.
    public var headline: String {
        switch reason {
        case .noPort: "no board: this computer has no serial port"
        case .noCandidate: "no board: no port has the USB id of a known board"
        case .noPermission: "no board: no permission to open its port"
        case .busy: "no board: another program has its port"
        case .versionRefused: "no board: the one that answers speaks another version"
        case .noAnswer: "no board: no port answers"
        case .severalAnswer: "several boards answer"
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
