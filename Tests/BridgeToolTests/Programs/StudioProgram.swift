// StudioProgram: a user of the studio in a ProgramWorld, for suites with the trait `.virtualTime`.

import BridgeLink
import Foundation
import SerialPorts
import TestSupport

@testable import bridge

/// A user who edits in the studio and plays at the left trigger, which no other program uses.
/// Meanwhile, another editor writes the same files, and the folder of the files disappears and
/// reappears as if it were on a removable drive.
///
/// Each edit sets a unique level, which identifies the text.
final class StudioProgram {
    private let world: ProgramWorld
    private var generator: SeededGenerator
    private let rig: StudioRig
    /// The user's folder for stored states. In some worlds, this path is a file instead of a
    /// folder, so that nothing can be stored.
    private let state: Folder
    private let canKeepElsewhere: Bool
    private var isAway = false

    /// The open document, and the state that the page shows.
    private var name = "a.ahap"
    private var level = 100
    private var revision = 0
    private var isSaved = true
    private var nextLevel = 101
    /// The levels in the texts that the user has discarded without saving.
    private var left: [Int] = []
    /// The time at which the board last confirmed that it is at rest.
    private var restedAt: HostTime?

    init(_ world: ProgramWorld, _ generator: SeededGenerator) throws {
        self.world = world
        var generator = generator
        state = Folder()
        canKeepElsewhere = generator.chance(oneIn: 2)
        if !canKeepElsewhere { _ = try state.write("state", "a file is not a folder") }
        self.generator = generator
        rig = try StudioRig(
            Self.text(100), port: world.port, locality: "leftTrigger", state: state.path("state"))
        _ = try rig.folder.write("b.ahap", Self.text(100))
    }

    /// Returns a pattern of one level that is held for 60 ms.
    private static func text(_ level: Int) -> String {
        """
        { "Version": 1, "Pattern": [
          { "Event": { "Time": 0, "EventType": "HapticContinuous", "EventDuration": 0.06,
            "EventParameters": [
              { "ParameterID": "HapticIntensity", "ParameterValue": \(value(level)) }
            ] } }
        ] }

        """
    }

    private static func value(_ level: Int) -> String { String(Double(level) / 255) }

    private func resetLevel() -> Int {
        defer { nextLevel += 1 }
        return nextLevel
    }

    // MARK: Actions of the user

    func run() {
        guard expect(next("document") != nil, "no document is shown"),
            expect(next { $0["felt"] as? Bool == true } != nil, "there is no board")
        else { return }
        for _ in 0..<Int.random(in: 2...9, using: &generator) {
            act()
            pause(.random(in: 0...100_000, using: &generator))
        }
        if isAway { moveFolder() }
        rest()
        let outcome = ended()
        _ = expect(outcome.wasEnded(by: SIGINT), "\(outcome)")
        if !isSaved { left.append(level) }
        for level in left {
            _ = expect(isThere(level), "the text with the level \(level) is lost")
        }
    }

    private func act() {
        switch Int.random(in: 0..<16, using: &generator) {
        case 0...4: edit()
        case 5, 6: save()
        case 7, 8: open(name == "a.ahap" ? "b.ahap" : "a.ahap")
        case 9: open("heartbeat")
        case 10, 11: moveFolder()
        case 12, 13: editElsewhere()
        default: play()
        }
    }

    private func edit() {
        guard name != "heartbeat" else { return }
        let edited = resetLevel()
        move()
        rig.edit(revision, StudioTests.intensity, Self.value(edited))
        let before = revision
        let answer = next { $0["type"] as? String == "ack" && self.revision > before }
        guard expect(answer != nil, "an edit is not answered") else { return }
        guard generator.chance(oneIn: 4) else {
            level = edited
            return
        }
        ask(#"{"type":"undo"}"#)
        _ = expect(next("document") != nil, "an undo is not answered")
    }

    private func save() {
        guard name != "heartbeat" else { return }
        let wasThere = FileManager.default.fileExists(atPath: rig.folder.url.path)
        ask(#"{"type":"save"}"#)
        let answer = next {
            $0["cause"] as? String == "save" || $0["type"] as? String == "conflict"
                || Self.isRefusal($0)
        }
        switch answer?["type"] as? String {
        case "document"?:
            _ = expect(wasThere && onDisk == level, "saved is \(String(describing: onDisk))")
        case "conflict"?: settleConflict()
        case "error"?: _ = expect(!wasThere, "a save fails: \(answer!)")
        default: _ = expect(false, "a save is not answered")
        }
    }

    /// Chooses between the text of the page and the text of the other editor.
    private func settleConflict() {
        let keeps = generator.chance(oneIn: 2)
        move()
        let foreign = onDisk
        ask(#"{"type":"\#(keeps ? "keep" : "reload")","file":"\#(name)"}"#)
        _ = expect(next("document") != nil, "a conflict is not resolved")
        if !keeps, let foreign { level = foreign }
        _ = expect(onDisk == level && isSaved, "\(String(describing: onDisk)) is on the disk")
    }

    /// Switches to another document. The studio rejects the request if it could lose the current
    /// text.
    private func open(_ other: String) {
        guard other != name else { return }
        let mayFail = isAway && (other != "heartbeat" || !canKeepElsewhere)
        if !isSaved, onDisk != level { left.append(level) }
        ask(#"{"type":"open","file":"\#(other)"}"#)
        let answer = next { message in
            message["type"] as? String == "document" && message["cause"] as? String == "open"
                || Self.isRefusal(message)
        }
        guard answer?["type"] as? String == "document" else {
            _ = expect(mayFail, "\(other) is not opened: \(answer ?? [:])")
            if !isSaved, left.last == level { left.removeLast() }
            return
        }
        name = other
        if other != "heartbeat" { level = onDisk ?? level }
    }

    /// Returns true if a message rejects a request, and false if the message reports that a text
    /// was kept.
    private static func isRefusal(_ message: InMemoryPage.Message) -> Bool {
        message["type"] as? String == "error"
            && !(message["message"] as? String ?? "").contains("kept as")
    }

    /// Moves the folder of the documents away, or back to its original location.
    private func moveFolder() {
        let (here, there) = (rig.folder.url.path, rig.folder.url.path + "-away")
        do {
            try FileManager.default.moveItem(
                atPath: isAway ? there : here, toPath: isAway ? here : there)
            isAway.toggle()
        } catch { world.expect(false, "the folder: \(error)") }
        // At this time, the studio may or may not have detected the change.
        pause(.random(in: 0...300_000, using: &generator))
        receive()
    }

    /// Writes the file of the document, as another editor does.
    private func editElsewhere() {
        receive()
        guard !isAway, name != "heartbeat" else { return }
        let foreign = resetLevel()
        move()
        do {
            try Data(Self.text(foreign).utf8)
                .write(to: rig.folder.url.appendingPathComponent(name), options: .atomic)
        } catch { return world.expect(false, "the other editor: \(error)") }
        let wasSaved = isSaved
        let answer = next {
            $0["type"] as? String == "conflict" || $0["cause"] as? String == "disk"
        }
        guard expect(answer != nil, "another editor's save is not detected") else { return }
        if answer!["type"] as? String == "conflict" {
            _ = expect(!wasSaved, "a saved text is in conflict")
            settleConflict()
        } else {
            _ = expect(wasSaved, "an unsaved text is replaced")
            level = foreign
        }
    }

    // MARK: Playback

    /// Plays the document, and checks that its level reaches the chip.
    private func play() {
        guard name != "heartbeat" else { return }
        rest()
        move()
        let begun = Link.now()
        ask(#"{"type":"play"}"#)
        let isOver = next {
            $0["type"] as? String == "position" && $0["isPlaying"] as? Bool == false
        }
        guard expect(isOver != nil, "the playback does not end") else { return }
        rest()
        world.expectAtTrigger(level, within: begun..<Link.now())
    }

    /// Requests rest, and waits until the board confirms that it is at rest.
    private func rest() {
        ask(#"{"type":"stop"}"#)
        let answer = next("rest")
        _ = expect(answer?["verified"] as? Bool == true, "rest is not confirmed: \(answer ?? [:])")
        restedAt = Link.now()
    }

    /// Checks that no actuator has moved since the last rest, and records that movement is possible
    /// from now on.
    private func move() {
        if let restedAt { world.expectAtTrigger(0, within: restedAt..<Link.now()) }
        restedAt = nil
    }

    // MARK: The page

    private func ask(_ request: String) { rig.page.send(request: request) }

    private func next(_ type: String) -> InMemoryPage.Message? {
        next { $0["type"] as? String == type }
    }

    /// Returns the next message that matches. Processes all messages before this message.
    private func next(where fits: (InMemoryPage.Message) -> Bool) -> InMemoryPage.Message? {
        while let message = rig.page.next() {
            record(message)
            if fits(message) { return message }
        }
        return nil
    }

    /// Processes all available messages.
    private func receive() {
        while let message = rig.page.received() { record(message) }
    }

    private func record(_ message: InMemoryPage.Message) {
        revision = message["revision"] as? Int ?? revision
        isSaved = message["isSaved"] as? Bool ?? isSaved
    }

    // MARK: The files

    /// The level of the text in the document's file; nil if the file contains no level.
    private var onDisk: Int? {
        (try? String(contentsOf: rig.folder.url.appendingPathComponent(name), encoding: .utf8))
            .flatMap(Self.level)
    }

    private static func level(_ text: String) -> Int? {
        (100...255).first { text.contains("\"ParameterValue\": \(value($0)) }") }
    }

    /// Returns true if a stored file or text contains a given level.
    private func isThere(_ level: Int) -> Bool {
        [rig.folder.url.path, state.path("state/haptic-bridge/unsaved")].contains { folder in
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            return names.contains { name in
                let text = try? String(contentsOfFile: folder + "/" + name, encoding: .utf8)
                return text.flatMap(Self.level) == level
            }
        }
    }

    private func ended() -> Outcome {
        rig.tool.signal(SIGINT)
        return rig.tool.outcome()
    }

    private func expect(_ condition: Bool, _ what: @autoclosure () -> String) -> Bool {
        world.expect(condition, "studio: \(what())")
        return condition
    }
}
