// Tests that the registry recognizes every format by its contents.

import PatternFormats
import Testing

@Suite struct RegistryTests {
    @Test(arguments: [
        ("{\"version\": {\"major\": 1}, \"signals\": {}}", "haptic"),
        ("\u{FEFF} <vibration-effect/>", "android"), ("<!-- a --><vibration-effect/>", "android"),
        ("{\"timings\": [], \"amplitudes\": []}", "android-arrays"),
        ("{\"timings\": [0, 1]}", "android-arrays"), ("{\"pattern\": [0]}", "android-arrays"),
        ("[0, 1]", "android-arrays"), ("{\"pattern\": [{}]}", "ahap"), ("[{}]", "ahap"),
        ("{\"m_vibration\": {}}", "haps"), ("{\"perceptions\": []}", "hjif"),
        ("{\"Timings\": [], \"Amplitudes\": []}", "hla"), ("{\"pwleSignal\": {}}", "hla"),
        ("{\"version\": {\"major\": 2}, \"clips\": []}", "hasp"), ("PK\u{3}\u{4}", "hac"),
        ("{\"version\": {\"major\": 2}}", "hasp"), ("{\"version\": {\"major\": 1}}", "haptic"),
        ("{\"Pattern\": [{\"Event\": {\"Type\": \"transient\"}}]}", "he"),
        ("{\"Pattern\": [{\"Event\": {\"EventType\": \"HapticTransient\"}}]}", "ahap"),
        ("{\"Pattern\": [{\"Event\": {\"Type\": \"tap\", \"RelativeTime\": 0}}]}", "he"),
        ("{\"Pattern\": [{\"Event\": {\"Parameters\": {}}}]}", "he"),
        ("{\"Pattern\": [{\"Event\": {\"EventType\": \"tap\", \"Parameters\": {}}}]}", "ahap"),
        ("{\"Pattern\": [{\"Event\": {\"Type\": \"HapticTransient\", \"Time\": 0}}]}", "ahap"),
        ("{\"PatternList\": []}", "he"), ("{\"MetaData\": {}, \"Channels\": []}", "harmonyos"),
        ("MThd", "midi"), ("{\"Version\": 1, \"Pattern\": []}", "ahap"), ("", "ahap"),
        ("{\"signals\":", "ahap"),
    ]) func knowsFormatsByContent(text: String, name: String) {
        #expect(PatternFormats.format(of: Array(text.utf8)).name == name)
    }

    @Test func namesNoFormatTwice() {
        #expect(Set(PatternFormats.all.map(\.name)).count == PatternFormats.all.count)
        #expect(PatternFormats.writable.map(\.name) == ["haptic", "android", "hjif", "ahap"])
    }
}
