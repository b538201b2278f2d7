// Tests of `bridge studio` after another program has changed the document's file, so that only the
// studio still has the text.

import Foundation
import TestSupport
import Testing

@Suite(.virtualTool) struct StudioLossTests {
    static let held = StudioTests.held

    @Test func aFileThatIsEmptiedElsewhereIsNotSavedAndCanBeWrittenAgain() throws {
        let rig = try StudioRig(Self.held)
        _ = try rig.folder.write("a.ahap", "")
        let document = rig.page.next("document") { $0["cause"] as? String == "emptied" }
        #expect(document?["isSaved"] as? Bool == false)
        rig.page.send(request: #"{"type":"save"}"#)
        #expect(rig.page.next("document") { $0["cause"] as? String == "save" } != nil)
        #expect(rig.text == Self.held)
    }

    @Test func theTextOfAnEmptiedFileIsKeptAtTheEnd() throws {
        let rig = try StudioRig(Self.held)
        _ = rig.page.next("document")
        _ = try rig.folder.write("a.ahap", "")
        #expect(rig.page.next("document") { $0["cause"] as? String == "emptied" } != nil)
        rig.tool.signal(SIGINT)
        let outcome = rig.tool.outcome()
        #expect(rig.folder.text("a.ahap.unsaved") == Self.held, "\(outcome)")
        #expect(outcome.errors.contains("a.ahap.unsaved") && rig.text.isEmpty, "\(outcome)")
    }

    /// Ends the tool before the studio can be certain that the other program has finished writing.
    @Test func theTextOfAFileThatWasJustEmptiedIsKeptAtTheEnd() throws {
        let rig = try StudioRig(Self.held)
        _ = rig.page.next("document")
        _ = try rig.folder.write("a.ahap", "")
        rig.tool.signal(SIGINT)
        _ = rig.tool.outcome()
        #expect(rig.folder.text("a.ahap.unsaved") == Self.held)
    }

    @Test func aFileThatIsWrittenInTwoStepsIsNotLost() throws {
        let rig = try StudioRig(Self.held)
        _ = rig.page.next("document")
        _ = try rig.folder.write("a.ahap", "")
        _ = rig.page.next("files")
        let other = Self.held.replacing("0.5 ", with: "0.8 ")
        _ = try rig.folder.write("a.ahap", other)
        let document = rig.page.next("document")
        #expect(document?["cause"] as? String == "disk" && document?["isSaved"] as? Bool == true)
        #expect(document?["canUndo"] as? Bool == true)
    }

    @Test func anEmptiedFileAsksIfEditsAreNotSaved() throws {
        let rig = try StudioRig(Self.held)
        rig.edit(0, StudioTests.intensity, "0.75")
        #expect(rig.page.next("ack") != nil)
        _ = try rig.folder.write("a.ahap", "")
        let conflict = rig.page.next("conflict")
        #expect(conflict?["text"] as? String == "")
        rig.page.send(request: #"{"type":"reload","file":"a.ahap"}"#)
        #expect(rig.page.next("document") { $0["cause"] as? String == "disk" } != nil)
        rig.page.send(request: #"{"type":"undo"}"#)
        let document = rig.page.next("document") { $0["cause"] as? String == "undo" }
        #expect(document?["isSaved"] as? Bool == false && document?["document"] is [String: Any])
    }

    @Test func aTextThatCannotBeReadIsShownAndCanBeTakenBack() throws {
        let rig = try StudioRig(Self.held)
        _ = rig.page.next("document")
        _ = try rig.folder.write("a.ahap", "{ \"Pattern\": [")
        let broken = rig.page.next("document") { $0["cause"] as? String == "disk" }
        #expect(broken?["canUndo"] as? Bool == true && broken?["document"] is NSNull)
        rig.page.send(request: #"{"type":"undo"}"#)
        let document = rig.page.next("document") { $0["cause"] as? String == "undo" }
        #expect(document?["isSaved"] as? Bool == false)
        rig.page.send(request: #"{"type":"save"}"#)
        #expect(rig.page.next("document") { $0["cause"] as? String == "save" } != nil)
        #expect(rig.text == Self.held)
    }

    @Test func aFileThatBecomesUnreadableIsNotSaved() throws {
        let rig = try StudioRig(Self.held)
        _ = rig.page.next("document")
        let path = rig.folder.path("a.ahap")
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        let document = rig.page.next("document") {
            ["lost", "unreadable"].contains($0["cause"] as? String)
        }
        #expect(document?["isSaved"] as? Bool == false)
        rig.page.send(request: #"{"type":"save"}"#)
        #expect(rig.page.next("error") != nil)
        rig.page.send(request: #"{"type":"saveAs","file":"b.ahap"}"#)
        #expect(rig.page.next("document") { $0["cause"] as? String == "save" } != nil)
        #expect(rig.folder.text("b.ahap") == Self.held)
    }

    @Test func anEmptyFileIsRefusedByItsNameWithAdvice() throws {
        let rig = try StudioRig(Self.held)
        _ = try rig.folder.write("b.ahap", "")
        rig.page.send(request: #"{"type":"open","file":"b.ahap"}"#)
        let error = rig.page.next("error")
        #expect(error?["message"] as? String == "b.ahap: is empty")
        #expect((error?["advice"] as? String)?.contains("choose New") == true)
    }
}
