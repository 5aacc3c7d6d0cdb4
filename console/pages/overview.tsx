import { Page } from "../components/page.tsx";
export function page() {
  return <Page title="overview">{null}</Page>;
}
