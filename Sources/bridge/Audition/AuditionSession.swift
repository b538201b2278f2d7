// AuditionSession: one connection to an editor, from its start to its end.

import BridgeLink
import EditorLinks
import Foundation
import HapticBridge
import JSONText
import PatternFormats
import SerialPorts

/// One connection to an editor.
struct AuditionSession {
    private let place: EditorAddress
    private let player: AuditionPlayer
    private let digits: TypedDigits
    private let output: OutputOptions
    private let inbox = AuditionInbox()
    private let link: any EditorLink

    /// The minimum interval between two reads of the inbox, in microseconds. If several edits
    /// arrive in one interval, only the newest is played.
    private static let pace: Microseconds = 20_000

    init(
        _ place: EditorAddress, _ device: StudioSession.Device, _ player: AuditionPlayer,
        _ digits: TypedDigits, _ output: OutputOptions
    ) {
        (self.place, self.player, self.digits, self.output) = (place, player, digits, output)
        link =
            switch place.editor {
            case .studio: StudioLink(place, device, inbox)
            case .haptrix: HaptrixLink(place, inbox)
            }
    }

    /// Plays edits until the editor disconnects or a signal requests the end. The board is at rest
    /// on return.
    ///
    /// - Returns: the reason why the connection to the editor failed; nil if it succeeded. A reason
    ///   that equals `told` was reported before and is not reported again.
    func run(told: String?) throws -> String? {
        var isOpen = false
        defer {
            link.close()
            player.rest()
        }
        while !Interruption.isRequested {
            let news = inbox.take(within: 20_000)
            if let isAgain = news.question { digits.ask(isAgain: isAgain) }
            if let typed = try digits.typed() { link.answer(typed) }
            if news.isOpen {
                isOpen = true
                try begin()
            }
            if news.stops { player.silence() }
            if let refusal = news.refusal { output.remark("\(place): \(refusal)") }
            if let pattern = news.pattern, isOpen { try take(pattern) }
            if let failure = player.takeFailure() { output.remark(failure) }
            let isSilent = Link.now() >= link.deadline
            if let end = news.end ?? (isSilent ? "the editor does not respond" : nil) {
                player.rest()
                if isOpen { try tell("lost", "\(end); at rest") }
                if !isOpen, end != told { try tell("refused", "\(end); trying again") }
                return isOpen ? nil : end
            }
            if !news.isEmpty { hostClock.sleep(for: Self.pace) }
        }
        return nil
    }

    private func begin() throws {
        try player.start()
        try tell("connected", "each edit is felt; Ctrl-C ends")
        let settings = try HapticSettings.ofUser().effective(at: .now)
        if let reason = settings.unfelt {
            output.remark("nothing is felt: \(Unfelt.user(reason).text)")
        }
    }

    private func tell(_ event: String, _ words: String) throws {
        try output.result(
            [
                "schema": "bridge.audition/1", "event": .string(event),
                "editor": .string(place.editor.rawValue), "host": .string(place.host),
                "port": .number(place.port), "message": .string(words),
            ], text: "\(place): \(words)")
    }

    private func take(_ edit: EditedPattern) throws {
        let name = edit.name.isEmpty ? place.editor.name : "\"\(edit.name)\""
        do {
            guard let pass = try player.take(edit) else { return }
            let from = pass.start > 0 ? ", from \(pass.start.secondsText)" : ""
            let sounds = edit.sounds > 0 ? "; \(edit.sounds.text("sound")) not played" : ""
            try output.result(
                [
                    "schema": "bridge.audition/1", "event": "felt", "name": .string(edit.name),
                    "from_us": .number(pass.start), "length_us": .number(pass.length),
                    "sounds": .number(edit.sounds),
                ], text: "\(name): \(pass.length.secondsText)\(from)\(sounds)")
        } catch let error as FormatError {
            output.remark("\(name):\(error)\n  the previous pattern continues")
        }
    }
}
