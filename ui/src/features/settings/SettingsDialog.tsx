import { Archive, FolderGit2, Info, List, ScanSearch, Sparkles, SunMoon } from "lucide-react";
import { useEffect, type ReactNode } from "react";
import type { Theme } from "../../backend/backend";
import { Button } from "../../kit/Button";
import { Dialog } from "../../kit/Dialog";
import { CheckField, SelectField } from "../../kit/Field";
import { SideTabs } from "../../kit/Tabs";
import { Trouble } from "../../kit/Trouble";
import { useView, useViewStore } from "../../store/context";
import { guards } from "../../store/guards";
import { usePreferences, type PreferenceKey } from "../../store/preferences";
import { About } from "./About";
import { Backups } from "./Backups";
import { WorktreeFolder } from "./WorktreeFolder";

const THEMES: readonly (readonly [Theme, string])[] = [
  ["system", "As the system has it"],
  ["light", "Light"],
  ["dark", "Dark"],
];

/** One part of the settings, with why a choice in it was not kept. */
function Part({ of, children }: { of?: PreferenceKey; children: ReactNode }) {
  const { errors } = usePreferences();
  const error = of === undefined ? undefined : errors[of];
  return (
    <div className="flex max-w-[440px] flex-col gap-3">
      {children}
      {error !== undefined && <Trouble message={error.message} hints={["It is as it was before.", ...error.hints]} />}
    </div>
  );
}

function Appearance() {
  const { preferences, choose } = usePreferences();
  return (
    <Part of="theme">
      <SelectField<Theme>
        label="Theme"
        className="w-60"
        value={preferences.theme}
        options={THEMES}
        onChange={(theme) => choose({ theme })}
      />
    </Part>
  );
}

function TheList() {
  const view = useViewStore();
  const { layout, saved } = useView();
  const { preferences, choose } = usePreferences();
  const own = saved === null && Object.keys(layout).length > 0;
  return (
    <Part of="layout">
      <p>
        Which columns the list has, their order, how it is sorted and what it is grouped by is kept as you choose it. Saved
        views keep their own.
      </p>
      <Button
        className="self-start"
        disabled={preferences.layout === "" && !own}
        onClick={() => {
          choose({ layout: "" });
          // What a saved view wants is part of the view.
          if (own) view.set({ layout: {} });
        }}
      >
        Reset columns and grouping
      </Button>
    </Part>
  );
}

function CleanUp() {
  const { preferences, choose } = usePreferences();
  return (
    <Part of="guardDays">
      <SelectField
        label="Not used for"
        className="w-60"
        value={String(preferences.guardDays)}
        options={guards(preferences.guardDays)}
        onChange={(days) => choose({ guardDays: Number(days) })}
      />
      <p className="text-soft">
        A clean-up begins with what was not used for so long; there you can choose another age for once. Nothing goes by
        itself.
      </p>
    </Part>
  );
}

function Looks() {
  const { preferences, choose } = usePreferences();
  return (
    <Part of="looks">
      <CheckField checked={preferences.looks} onChange={(looks) => choose({ looks })}>
        Look closer at clean workspaces by itself
        <span className="mt-0.5 block text-soft">
          Once a day, while their host has nothing else to do. It tells whether they are merged and what lies in them that no
          status shows. Without it, only what you look at yourself is known.
        </span>
      </CheckField>
    </Part>
  );
}

const SIZE = { size: 14, "aria-hidden": true, className: "shrink-0" } as const;

/** Everything a person can set about the window. It applies at once. */
export function SettingsDialog({ onClose }: { onClose: () => void }) {
  const { calm } = usePreferences();
  // A failure of an earlier time is no news.
  useEffect(() => calm, [calm]);
  return (
    <Dialog title="Settings" description="What you change applies at once." width="w-[680px]" onClose={onClose}>
      <SideTabs
        label="Settings"
        first="Appearance"
        tabs={[
          { name: "Appearance", icon: <SunMoon {...SIZE} />, content: <Appearance /> },
          { name: "List", icon: <List {...SIZE} />, content: <TheList /> },
          {
            name: "New worktrees",
            icon: <FolderGit2 {...SIZE} />,
            content: (
              <Part of="worktreeFolder">
                <WorktreeFolder />
              </Part>
            ),
          },
          { name: "Clean up", icon: <Sparkles {...SIZE} />, content: <CleanUp /> },
          { name: "Looking closer", icon: <ScanSearch {...SIZE} />, content: <Looks /> },
          { name: "Backups", icon: <Archive {...SIZE} />, content: <Backups /> },
          { name: "About", icon: <Info {...SIZE} />, content: <About /> },
        ]}
      />
    </Dialog>
  );
}
