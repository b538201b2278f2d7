// EditorLink: connects to an editor and stores its messages in an inbox.

import BridgeLink
import LocalServers
import ProgramProtocols
import SerialPorts
import Synchronization

/// A connection to an editor.
protocol EditorLink {
    /// The time at which the editor is considered lost unless it sends a message earlier.
    var deadline: HostTime { get }
    /// Sends the requested digits, which the editor displays.
    func answer(_ digits: String)
    /// Closes the connection.
    func close()
}

// MARK: Meta Haptics Studio

/// The connection to Meta Haptics Studio.
final class StudioLink: EditorLink {
    private let conversation: StudioConversation
    private let socket: WebSocketClient

    /// The maximum size of a message, in bytes: twice the size of the largest accepted file,
    /// because quotation marks are escaped in a message.
    private static let messageMax = 32 << 20

    init(_ address: EditorAddress, _ device: StudioSession.Device, _ inbox: AuditionInbox) {
        let conversation = StudioConversation(inbox)
        self.conversation = conversation
        socket = WebSocketClient(
            host: address.host, port: address.port, target: StudioSession.target(of: device),
            limit: Self.messageMax, onMessage: { conversation.receive($0) },
            onClose: { reason in inbox.post { $0.end = reason } })
    }

    var deadline: HostTime { conversation.deadline }

    func answer(_ digits: String) {
        for text in conversation.answer(digits) { socket.send(text) }
    }

    func close() { socket.close() }
}

/// The exchange of messages between the editor and this device.
private final class StudioConversation: Sendable {
    private let session = Mutex(StudioSession(at: Link.now().microseconds))
    private let inbox: AuditionInbox

    init(_ inbox: AuditionInbox) { self.inbox = inbox }

    var deadline: HostTime { HostTime(microseconds: session.withLock { $0.deadline }) }

    func receive(_ message: WebSocketClient.Message) -> WebSocketClient.Answer {
        let now = Link.now().microseconds
        do {
            switch message {
            case .text(let text):
                return perform(try session.withLock { try $0.receive(text, at: now) })
            case .binary:
                try session.withLock { try $0.receiveBinary(at: now) }
                return WebSocketClient.Answer()
            }
        } catch {
            return WebSocketClient.Answer(end: "\(error)")
        }
    }

    func answer(_ digits: String) -> [String] {
        perform(session.withLock { $0.answer(digits) }).texts
    }

    private func perform(_ outputs: [StudioSession.Output]) -> WebSocketClient.Answer {
        var answer = WebSocketClient.Answer()
        for output in outputs {
            switch output {
            case .send(let text): answer.texts.append(text)
            case .ask(let isAgain): inbox.post { $0.question = isAgain }
            case .granted: inbox.post { $0.isOpen = true }
            case .present(let clip): inbox.post(EditedPattern(clip, isPlayed: false))
            case .play(let clip): inbox.post(EditedPattern(clip, isPlayed: true))
            case .playTest: inbox.post(.test)
            case .stop: inbox.postStop()
            case .end(let reason): answer.end = reason
            }
        }
        return answer
    }
}

extension EditedPattern {
    fileprivate init(_ clip: StudioClip, isPlayed: Bool) {
        self.init(id: clip.id, name: clip.name, bytes: clip.haptic, isPlayed: isPlayed)
    }
}

// MARK: Haptrix

/// The connection to Haptrix.
final class HaptrixLink: EditorLink {
    private let stream: StreamClient

    init(_ address: EditorAddress, _ inbox: AuditionInbox) {
        let decoder = Mutex(HaptrixDecoder())
        stream = StreamClient(
            host: address.host, port: address.port, onOpen: { inbox.post { $0.isOpen = true } },
            onBytes: { bytes in
                decoder.withLock { Self.receive(bytes, by: &$0, inbox) }
            }, onClose: { reason in inbox.post { $0.end = reason } })
    }

    /// There is no deadline, because Haptrix sends nothing while the user makes no edits.
    var deadline: HostTime { .never }

    func answer(_ digits: String) {}

    func close() { stream.close() }

    /// Returns the reason why the connection must end; nil if the connection continues.
    private static func receive(
        _ bytes: [UInt8], by decoder: inout HaptrixDecoder, _ inbox: AuditionInbox
    ) -> String? {
        decoder.append(bytes)
        do throws(EditorLinkError) {
            while let message = try decoder.next() {
                switch message {
                case .kill: return "the editor has ended the connection"
                case .ahap(let ahap): inbox.post(EditedPattern(HaptrixPackage(ahap: ahap)))
                case .zip(let zip): unpack(zip, to: inbox)
                case .unknown: break
                }
            }
            return nil
        } catch {
            return error.message
        }
    }

    private static func unpack(_ zip: [UInt8], to inbox: AuditionInbox) {
        do throws(EditorLinkError) {
            inbox.post(EditedPattern(try HaptrixPackage(zip: zip, limit: EditedPattern.bytesMax)))
        } catch {
            inbox.post { $0.refusal = error.message }
        }
    }
}

extension EditedPattern {
    fileprivate init(_ package: HaptrixPackage) {
        self.init(
            id: package.name, name: package.name, bytes: package.ahap, sounds: package.others)
    }
}
