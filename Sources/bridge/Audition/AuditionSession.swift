// AuditionSession: one connection to an editor, from its start to its end.

import BridgeLink
import Foundation
import HapticBridge
import JSONText
import PatternFormats
import ProgramProtocols
import SerialPorts
import ToolSupport

/// One connection to an editor.
struct AuditionSession {
    private let address: EditorAddress
    private let player: AuditionPlayer
    private let digits: TypedDigits
    private let output: OutputOptions
    private let inbox = AuditionInbox()
    private let link: any EditorLink

    /// The minimum interval between two reads of the inbox, in microseconds. If several edits
    /// arrive within an interval, only the newest edit is played.
    private static let pace: Microseconds = 20_000

    init(
        _ address: EditorAddress, _ device: StudioSession.Device, _ player: AuditionPlayer,
        _ digits: TypedDigits, _ output: OutputOptions
    ) {
        (self.address, self.player, self.digits, self.output) = (address, player, digits, output)
        link =
            switch address.editor {
            case .studio: StudioLink(address, device, inbox)
            case .haptrix: HaptrixLink(address, inbox)
            }
    }

    /// Plays edits until the editor disconnects or a signal requests the end. When this method
    /// returns, the board is at rest.
    ///
    /// - Parameter reported: the reason that was reported last, which is not reported again.
    /// - Returns: the reason why the connection to the editor failed; nil if the editor was
    ///   connected or a signal requested the end.
    func run(reported: String?) throws -> String? {
        var isOpen = false
        defer {
            link.close()
            player.rest()
        }
        while !Interruption.isRequested {
            let events = inbox.drain(within: 20_000)
            if let isAgain = events.question { digits.ask(isAgain: isAgain) }
            if let typed = try digits.typed() { link.answer(typed) }
            if events.isOpen {
                isOpen = true
                try begin()
            }
            if events.stops { player.silence() }
            if let refusal = events.refusal { output.remark("\(address): \(refusal)") }
            if let pattern = events.pattern, isOpen { try play(pattern) }
            if let failure = player.removeFailure() { output.remark(failure) }
            let isSilent = Link.now() >= link.deadline
            if let end = events.end ?? (isSilent ? "the editor does not respond" : nil) {
                player.rest()
                if isOpen { try report("lost", "\(end); at rest") }
                if !isOpen, end != reported { try report("refused", "\(end); trying again") }
                return isOpen ? nil : end
            }
            if !events.isEmpty { hostClock.sleep(for: Self.pace) }
        }
        return nil
    }

    private func begin() throws {
        try player.start()
        try report("connected", "each edit is felt; press Ctrl-C to end")
        let settings = try HapticSettings.ofUser().effective(at: .now)
        if let reason = settings.unfelt {
            output.remark("nothing is felt: \(Unfelt.user(reason).text)")
        }
    }

    private func report(_ event: String, _ words: String) throws {
        try output.result(
            [
                "schema": "bridge.audition/1", "event": .string(event),
                "editor": .string(address.editor.rawValue), "host": .string(address.host),
                "port": .number(address.port), "message": .string(words),
            ], text: "\(address): \(words)")
    }

    private func play(_ edit: EditedPattern) throws {
        let name = edit.name.isEmpty ? address.editor.name : "\"\(edit.name)\""
        do {
            guard let played = try player.play(edit) else { return }
            let from = played.start > 0 ? ", from \(played.start.secondsText)" : ""
            let sounds = edit.sounds > 0 ? "; \(edit.sounds.text("sound")) not played" : ""
            try output.result(
                [
                    "schema": "bridge.audition/1", "event": "felt", "name": .string(edit.name),
                    "from_us": .number(played.start), "length_us": .number(played.length),
                    "sounds": .number(edit.sounds),
                ], text: "\(name): \(played.length.secondsText)\(from)\(sounds)")
        } catch let error as FormatError {
            output.remark("\(name):\(error)\n  the previous pattern continues")
        }
    }
}
