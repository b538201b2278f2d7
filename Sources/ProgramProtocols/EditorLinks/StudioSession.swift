// StudioSession: the device's side of an audition session with Meta Haptics Studio, without I/O.

import JSONText

/// A clip of a project in Meta Haptics Studio.
public struct StudioClip: Sendable, Equatable {
    /// The id of the clip in the editor.
    public var id: String
    /// The name of the clip, without control characters.
    public var name: String
    /// The bytes of the clip as a `.haptic` file.
    public var haptic: [UInt8]
}

/// The device's side of an audition session with Meta Haptics Studio.
///
/// The editor accepts every device whose id it knows. A device that is new to the editor must send
/// the digits that the editor displays. Once the editor has accepted a device, it sends the whole
/// clip after every edit.
public struct StudioSession: Sendable {
    /// The description of a device, which is sent to the editor.
    public struct Device: Sendable {
        /// The id by which the editor recognizes the device. The id must be kept secret, like a
        /// password.
        public var id: String
        /// The name of the device, which the editor displays.
        public var name: String
        /// The version of the program that runs on the device.
        public var version: String

        /// Creates the description of a device.
        public init(id: String, name: String, version: String) {
            (self.id, self.name, self.version) = (id, name, version)
        }
    }

    /// A task that the owner performs.
    public enum Output: Sendable, Equatable {
        /// Send a text.
        case send(String)
        /// Ask the user for the digits that the editor displays, and pass them to ``answer(_:)``.
        case ask(isAgain: Bool)
        /// Record that the editor has accepted the device.
        case granted
        /// Load the selected clip without playing it.
        case present(StudioClip)
        /// Play a clip that the user has changed or selected.
        case play(StudioClip)
        /// Play a test pattern.
        case playTest
        /// Stop playing, because the project was closed.
        case stop
        /// Close the WebSocket for the given reason.
        case end(String)
    }

    private enum Access { case none, asked, granted }

    private var socket: SocketIOSession
    private var access = Access.none
    /// The id of the selected clip, which has been requested but has not arrived yet.
    private var awaited: String?

    /// Creates a session whose WebSocket was opened at the given time, in microseconds on any
    /// clock.
    public init(at now: Int64) { socket = SocketIOSession(at: now) }

    /// The time at which the connection is considered lost unless a message arrives earlier, in
    /// microseconds.
    public var deadline: Int64 { socket.deadline }

    /// Returns the target of the HTTP request that opens the WebSocket.
    public static func target(of device: Device) -> String {
        let query = [
            ("deviceId", device.id), ("name", device.name), ("model", "Haptic Bridge"),
            ("version", device.version), ("EIO", "4"), ("transport", "websocket"),
        ]
        return "/ws/?" + query.map { "\($0)=\(percentEncoded($1))" }.joined(separator: "&")
    }

    private static func percentEncoded(_ text: String) -> String {
        text.utf8.map { byte in
            let character = Character(UnicodeScalar(byte))
            let isPlain =
                byte < 0x80
                && (character.isLetter || character.isNumber || "-._~".contains(character))
            let digits = String(byte, radix: 16, uppercase: true)
            return isPlain ? String(character) : "%" + (byte < 16 ? "0" : "") + digits
        }.joined()
    }

    /// Handles a text message.
    ///
    /// - Throws: ``EditorLinkError`` if the message is invalid or unexpected.
    public mutating func receive(_ text: String, at now: Int64) throws(EditorLinkError) -> [Output]
    {
        var outputs: [Output] = []
        for output in try socket.receive(text, at: now) {
            switch output {
            case .send(let text): outputs.append(.send(text))
            case .connected: break
            case .event(let name, let arguments):
                outputs += handle(name, arguments.first ?? JSONValue(.null))
            case .end(let reason): outputs.append(.end(reason))
            }
        }
        return outputs
    }

    /// Handles a binary message, which contains a sound that another device has requested.
    ///
    /// - Throws: ``EditorLinkError`` if no packet has announced the binary message.
    public mutating func receiveBinary(at now: Int64) throws(EditorLinkError) {
        try socket.receiveBinary(at: now)
    }

    /// Sends the digits that the user has entered.
    public mutating func answer(_ digits: String) -> [Output] {
        guard access == .asked else { return [] }
        return [emit("auth_request", ["authCode": digits])]
    }

    // MARK: Events

    private mutating func handle(_ event: String, _ value: JSONValue) -> [Output] {
        switch event {
        case "auth_granted": return grant()
        case "auth_required":
            access = .asked
            return [.ask(isAgain: false)]
        case "auth_request":
            guard access == .asked else { return [] }
            return value["status"]?.string == "ok" ? grant() : [.ask(isAgain: true)]
        default: return access == .granted ? handleProjectEvent(event, value) : []
        }
    }

    private mutating func grant() -> [Output] {
        guard access != .granted else { return [] }
        access = .granted
        return [.granted, emit("get_current_clip")]
    }

    private mutating func handleProjectEvent(_ event: String, _ value: JSONValue) -> [Output] {
        switch event {
        case "clip_update": return clip(value).map { [.play($0)] } ?? []
        case "get_current_clip": return clip(value).map { [.present($0)] } ?? []
        case "current_clip": return select(value["currentClipId"]?.string ?? "")
        case "get_clip":
            // The editor sends each answer to all devices, not only to the device that sent the
            // request.
            guard let clip = clip(value), clip.id == awaited else { return [] }
            awaited = nil
            return [.play(clip)]
        case "project_close": return [.stop]
        case "play_test_pattern": return [.playTest]
        default: return []
        }
    }

    private mutating func select(_ id: String) -> [Output] {
        awaited = id.isEmpty ? nil : id
        return id.isEmpty ? [.stop] : [emit("get_clip", ["clipId": id])]
    }

    private func clip(_ value: JSONValue) -> StudioClip? {
        guard let id = value["clipId"]?.string, let haptic = value["haptic"]?.string else {
            return nil
        }
        let name = value["name"]?.string ?? ""
        return StudioClip(id: id, name: name.asNameOfStranger, haptic: Array(haptic.utf8))
    }

    private func emit(_ event: String, _ members: KeyValuePairs<String, String> = [:]) -> Output {
        let members = members.map { JSONObject.Member($0, JSONValue(.string($1))) }
        let argument = members.isEmpty ? nil : JSONValue(.object(JSONObject(members)))
        let packet = SocketIOPacket.text(ofEvent: event, argument)
        return .send(EngineIOPacket.messageType + packet)
    }
}
