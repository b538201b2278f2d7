// bridge studio: what a page must not do.

import Foundation
import TestSupport
import Testing

@Suite(.virtualTool) struct StudioAttackTests {
    @Test func noMessageLeadsOutOfTheFolder() throws {
        let rig = try StudioRig(StudioTests.held)
        let secret = Folder()
        let outside = try secret.write("outside.ahap", StudioTests.held)
        try FileManager.default.createSymbolicLink(
            atPath: rig.folder.path("link.ahap"), withDestinationPath: outside)
        let names = [
            "../outside.ahap", outside, "link.ahap", "..", "", ".hidden.ahap", "a.txt",
            "sub/a.ahap",
            "a.ahap\\u0000.txt", "C:\\\\a.ahap", "/etc/passwd",
        ]
        for name in names {
            for type in ["open", "saveAs", "new", "delete"] {
                rig.page.send(request: #"{"type":"\#(type)","file":"\#(name)"}"#)
                let answer = rig.page.next("error")
                #expect(answer != nil, "\(type) \(name)")
            }
        }
        rig.page.send(request: #"{"type":"rename","file":"a.ahap","to":"../b.ahap"}"#)
        #expect(rig.page.next("error") != nil && rig.text == StudioTests.held)
        #expect(secret.text("outside.ahap") == StudioTests.held)
        let files = rig.page
        files.send(request: #"{"type":"new","file":"n.ahap"}"#)
        files.send(request: #"{"type":"save"}"#)
        #expect(files.next("files")?["files"] as? [String] == ["a.ahap", "n.ahap"])
    }

    @Test(arguments: ["{", "[]", "\u{0}", #"{"type":"edit","revision":"0","edits":{}}"#])
    func aMessageThatIsNoneIsAnsweredAndHarmsNothing(_ text: String) throws {
        let rig = try StudioRig(StudioTests.held)
        rig.page.send(request: text)
        #expect(rig.page.next("error") != nil)
        rig.page.send(request: #"{"type":"save"}"#)
        #expect(rig.page.next("document") { $0["cause"] as? String == "save" } != nil)
        #expect(rig.text == StudioTests.held)
    }

    @Test func anEditOfAnotherVersionIsNotMade() throws {
        let rig = try StudioRig(StudioTests.held)
        _ = rig.page.next("document")
        rig.edit(5, StudioTests.intensity, "0.9")
        let answer = try #require(rig.page.next("document"))
        #expect(answer["revision"] as? Int == 0 && answer["document"] is [String: Any])
    }
}
