// ButtplugSession: the server's side of a connection that follows the Buttplug message
// specification, without I/O.

import JSONText

/// The server's side of a connection that follows the Buttplug message specification, version 3 or
/// 4.
///
/// The owner passes the received texts and the current time to the session, sends the texts that
/// the session returns, and plays ``levels``. Times are in microseconds on any clock.
public struct ButtplugSession: Sendable {
    /// The version of the specification that the client uses.
    enum Version: Int {
        case three = 3
        case four
    }

    /// The maximum time between two messages from a client, in microseconds.
    public static let pingTime: Int64 = 5_000_000
    /// The maximum size of a received text, in bytes.
    public static let textMax = 1 << 16
    /// The text that is sent to a client whose text is too large.
    public static let tooLarge = ButtplugAnswer.error(
        ButtplugRefusal(
            .message,
            "the text is larger than \(textMax) bytes; the connection is closed, so send smaller "
                + "texts"), 0)

    /// The levels of the vibrators, 0 to 1.
    public internal(set) var levels: [Double]
    /// True if the session has ended and the owner must close the connection.
    public private(set) var isOver = false
    let board: ButtplugBoard
    /// The version that the client uses; nil until the client has sent its first message.
    private(set) var version: Version?
    /// True if the client has been informed about the board.
    private var isAnnounced = false
    private var deadline: Int64

    /// Creates the session of a connection that was opened at the given time.
    public init(_ board: ButtplugBoard, at now: Int64) {
        self.board = board
        levels = board.vibrators.map { _ in 0 }
        deadline = now + Self.pingTime
    }

    /// Performs the messages of a text, and returns the texts to send.
    public mutating func receive(_ text: String, at now: Int64) -> [String] {
        guard !isOver else { return [] }
        deadline = now + Self.pingTime
        do throws(ButtplugRefusal) {
            var answers: [String] = []
            for entry in try ButtplugMessage.entries(of: text) where !isOver {
                answers += answer(to: entry)
            }
            return answers
        } catch {
            return [refuse(error)]
        }
    }

    /// Ends the session if the client has not sent a message within the ping time. Returns the
    /// texts to send. The owner of the session must call this method regularly.
    public mutating func expire(at now: Int64) -> [String] {
        guard !isOver, now >= deadline else { return [] }
        end()
        let text =
            "no message was received for \(Self.pingTime / 1_000_000) s; send Ping more often"
        return [refuse(ButtplugRefusal(.ping, text))]
    }

    /// Returns the text that reports that the board cannot play.
    public func failure(_ reason: String) -> String {
        ButtplugAnswer.error(ButtplugRefusal(.device, reason), 0)
    }

    private mutating func end() {
        isOver = true
        rest()
    }

    /// Sets all levels to 0.
    mutating func rest() { levels = levels.map { _ in 0 } }

    // MARK: Answers

    private mutating func answer(to entry: JSONValue) -> [String] {
        var id = 0
        do throws(ButtplugRefusal) {
            let message = try ButtplugMessage(entry)
            id = message.id
            return try answers(to: message)
        } catch {
            return [refuse(error, id)]
        }
    }

    /// Returns the text of a refusal. Before the handshake, a refusal ends the session.
    private mutating func refuse(_ refusal: ButtplugRefusal, _ id: Int = 0) -> String {
        if version == nil { end() }
        return ButtplugAnswer.error(refusal, id)
    }

    private mutating func answers(
        to message: ButtplugMessage
    ) throws(ButtplugRefusal) -> [String] {
        guard let version else { return [try open(message)] }
        let ok = ButtplugAnswer.ok(message.id)
        switch message.name {
        case "RequestServerInfo":
            throw ButtplugRefusal(.handshake, "RequestServerInfo: the connection is already open")
        case "Ping", "StopScanning": return [ok]
        case "RequestDeviceList":
            isAnnounced = true
            return [ButtplugAnswer.deviceList(board, version, message.id)]
        case "StartScanning":
            return [ok] + announcement(version) + [ButtplugAnswer.scanningFinished]
        default:
            try perform(message, version)
            return [ok]
        }
    }

    /// Returns the message that announces the board, unless the client has already been informed
    /// about the board.
    private mutating func announcement(_ version: Version) -> [String] {
        guard !isAnnounced else { return [] }
        isAnnounced = true
        return [
            version == .three
                ? ButtplugAnswer.deviceAdded(board) : ButtplugAnswer.deviceList(board, version, 0)
        ]
    }

    // MARK: The handshake

    private mutating func open(_ message: ButtplugMessage) throws(ButtplugRefusal) -> String {
        let fields = message.fields
        guard message.name == "RequestServerInfo" else {
            throw ButtplugRefusal(
                .handshake, "\(message.name): the first message must be RequestServerInfo")
        }
        _ = try fields.text("ClientName")
        let version = try requestedVersion(fields)
        self.version = version
        return ButtplugAnswer.serverInfo(version, message.id)
    }

    private func requestedVersion(_ fields: ButtplugFields) throws(ButtplugRefusal) -> Version {
        let isOld = !fields.has("ProtocolVersionMajor")
        let number = try fields.whole(isOld ? "MessageVersion" : "ProtocolVersionMajor")
        if !isOld { _ = try fields.whole("ProtocolVersionMinor") }
        let version: Version = isOld ? .three : .four
        guard number == version.rawValue else {
            throw ButtplugRefusal(
                .handshake,
                "RequestServerInfo: this server does not support version \(number) of the messages; "
                    + "use a client of version 3 (MessageVersion) or 4 (ProtocolVersionMajor)")
        }
        return version
    }
}
