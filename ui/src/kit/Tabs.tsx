import { Tabs as Base } from "@base-ui/react/tabs";
import type { ReactNode } from "react";

/** Parts of a screen, one at a time, with their names in a list at the side. */
export function SideTabs({
  label,
  tabs,
  first,
}: {
  label: string;
  tabs: readonly { readonly name: string; readonly icon: ReactNode; readonly content: ReactNode }[];
  /** The name of the part that is shown first. */
  first: string;
}) {
  return (
    <Base.Root defaultValue={first} orientation="vertical" className="flex min-h-0 gap-5">
      <Base.List aria-label={label} activateOnFocus className="sticky top-0 flex w-[136px] shrink-0 flex-col gap-0.5 self-start pt-px">
        {tabs.map(({ name, icon }) => (
          <Base.Tab
            key={name}
            value={name}
            className="flex h-7 items-center gap-2 rounded-md px-2 text-left text-soft outline-offset-[-2px] hover:bg-hover data-[active]:bg-chosen data-[active]:font-medium data-[active]:text-chosen-text"
          >
            {icon}
            <span className="min-w-0 truncate">{name}</span>
          </Base.Tab>
        ))}
      </Base.List>
      {tabs.map(({ name, content }) => (
        <Base.Panel key={name} value={name} className="min-h-[300px] min-w-0 flex-1 outline-offset-2">
          {content}
        </Base.Panel>
      ))}
    </Base.Root>
  );
}
